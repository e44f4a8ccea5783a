"""`kebab find`."""

from __future__ import annotations

import click

from kebab_cli.exit_codes import NO_RESULT, SUCCESS
from kebab_cli.options import KebabCommand, WholeNumber, words_argument
from kebab_cli.session import Session, pass_session


@click.command(cls=KebabCommand)
@words_argument("name")
@click.option(
    "-k",
    "--limit",
    type=WholeNumber(1, 1000),
    default=10,
    show_default=True,
    help="The best N matches only.",
)
@click.option("--brief", is_flag=True, help="Print addresses only, one per line.")
@pass_session
def command(session: Session, /, *, name: str, limit: int, brief: bool) -> int:
    """Find documents by name: file name, title or alias.

    Matches a part of the name, its words in any order, its letters in order, Korean initial consonants (ㅎㅇㄹ), or a
    misspelled name. Only names are searched; `kebab search` searches the text. Exit code 1: no match.

    Examples:
      kebab find refund policy
      kebab find 회의록
      kebab find ㅎㅇㄹ
      kebab open "$(kebab find --brief --limit 1 weekly)"
    """
    from kebab_cli.last_hits import remember_hits

    with session.open_app() as app:
        found = app.find_names(name, limit=limit)
        addresses = {rank: one.entry.to_address() for rank, one in enumerate(found, start=1)}
        remember_hits(app, addresses)
        if session.console.json:
            from kebab_wire import NamedDocumentV1, NameListV1

            documents = [
                NamedDocumentV1(
                    rank=rank,
                    address=addresses[rank],
                    title=one.entry.title,
                    name=one.name,
                    match=one.match.name.lower(),  # type: ignore[arg-type]  # a test compares the values
                    doc_id=one.entry.doc_id,
                    file=None if file is None else str(file),
                )
                for rank, one in enumerate(found, start=1)
                for file in [app.find_existing_file(one.entry.source_id, one.entry.doc_path)]
            ]
            session.console.wire(NameListV1(documents=tuple(documents)))
        else:
            from kebab_cli.views.documents import render_names

            with session.console.paged() as console:
                render_names(console, found, brief=brief)
    return SUCCESS if found else NO_RESULT

"""`kebab related`."""

from __future__ import annotations

import click

from kebab_cli.options import KebabCommand, WholeNumber
from kebab_cli.session import Session, expand_hit, pass_session


@click.command(cls=KebabCommand)
@click.argument("address")
@click.option(
    "--limit",
    "-k",
    type=WholeNumber(1, 1000),
    default=10,
    show_default=True,
    help="Maximum number of documents per kind.",
)
@pass_session
def command(session: Session, /, *, address: str, limit: int) -> None:
    """List documents related to a document, with the reason.

    Lists the documents that it links to, the documents that link to it, and the documents with a similar passage.
    With lines (notes/policy.md#L10-L42, @3), only the links and the text of the lines count. No model is run:
    stored vectors are compared.

    For a definition in source code, it first lists its callers in all files of its source, what it calls in its own
    file, other definitions of the same name, and tests of that name. Names are compared, not resolved.

    Examples:
      kebab related notes/policy.md
      kebab related @1 -k 3
      kebab related symbol:Group.invoke
    """
    from kebab_cli.last_hits import remember_hits

    with session.open_app() as app:
        related = app.find_related(expand_hit(app, address), limit=limit)
        remember_hits(app, {rank: one.address for rank, one in enumerate(related.documents, start=1)})
        if session.console.json:
            from kebab_wire import RelatedDocumentV1, RelatedListV1, wire_call_search

            documents = [
                RelatedDocumentV1(
                    rank=rank,
                    address=one.address,
                    title=one.entry.title,
                    relation=one.relation.value,
                    text=one.text,
                    line=one.line,
                    similarity=one.similarity,
                    doc_id=one.entry.doc_id,
                    file=None if file is None else str(file),
                )
                for rank, one in enumerate(related.documents, start=1)
                for file in [app.find_existing_file(one.entry.source_id, one.entry.doc_path)]
            ]
            session.console.wire(
                RelatedListV1(
                    address=related.address,
                    documents=tuple(documents),
                    linked_from_count=related.linked_from_count,
                    has_vectors=related.has_vectors,
                    call_search=wire_call_search(related.call_search),
                )
            )
        else:
            from kebab_cli.views.documents import render_related

            with session.console.paged() as console:
                render_related(console, related)

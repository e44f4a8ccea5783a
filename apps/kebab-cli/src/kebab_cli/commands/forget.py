"""`kebab forget`."""

from __future__ import annotations

import click

from kebab_cli.exit_codes import SUCCESS
from kebab_cli.language import tr
from kebab_cli.options import KebabCommand, yes_option
from kebab_cli.session import Session, pass_session


@click.command(cls=KebabCommand)
@click.argument("documents", metavar="DOCUMENT...", nargs=-1)
@click.option("--keep-answers", is_flag=True, help="Keep stored answers that quote it.")
@click.option("--erase", is_flag=True, help="Also delete the file permanently.")
@click.option("--undo", is_flag=True, help="Restore what was removed last, or the previous text of DOCUMENT.")
@yes_option
@pass_session
def command(
    session: Session, documents: tuple[str, ...], *, keep_answers: bool, erase: bool, undo: bool, yes: bool
) -> int:
    """Remove a document and the answers that quote it.

    DOCUMENT is a path as in `kebab list docs`, or an id. For a document added by ingest-file or ingest-stdin, the
    file that kebab keeps is removed too, and stays in the folder trash of the data folder for 30 days. Delete a
    file of your own first: then its index entries and the stored answers that quote it are removed. Interrupted
    answers have no citations and are removed too.

    Examples:
      kebab forget kebab-notes:files/3f9a2c10/letter.md
      kebab forget "kebab-notes:회의록.md" --yes
      kebab forget --undo
      kebab forget --undo "kebab-notes:회의록.md"
    """
    from kebab_wire import wire_erasure

    from kebab_cli.progress import watch_ingest
    from kebab_cli.views.documents import render_erasure, render_forget_plan

    session.require_writable()
    with session.open_app() as app:
        if undo:
            if len(documents) > 1:
                raise click.UsageError(tr("--undo takes one document"))
            name = next(iter(documents), None)
            return watch_ingest(
                session,
                app,
                lambda sink, cancel: app.undo_forget(name, sink=sink, cancel=cancel),
                is_named=True,
            )
        plan = app.plan_forget(documents, keep_answers=keep_answers, erase=erase)
        session.confirm_deletion(yes=yes, show=lambda: render_forget_plan(session.console, plan))
        report = wire_erasure(app.forget(documents, keep_answers=keep_answers, erase=erase))
    session.console.show_change(report, render_erasure)
    return SUCCESS

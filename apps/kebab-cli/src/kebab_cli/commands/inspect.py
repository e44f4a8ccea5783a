"""`kebab inspect`."""

from __future__ import annotations

import click

from kebab_cli.options import KebabGroup, WholeNumber
from kebab_cli.session import Session, expand_hit, pass_session


@click.group(cls=KebabGroup)
def command() -> None:
    """Show how a document or passage is stored.

    Examples:
      kebab inspect doc notes/policy.md
      kebab inspect doc paper.pdf#p=3
      kebab inspect chunk notes/policy.md#L10-L42 --json
      kebab inspect ocr-failures
    """


@command.command("doc")
@click.argument("address")
@pass_session
def doc(session: Session, address: str) -> None:
    """Show a document's metadata, history and blocks. For a part, such as paper.pdf#p=3 or @3, only its blocks."""
    from kebab_cli.views.documents import render_document

    with session.open_app() as app:
        found = app.find_address(expand_hit(app, address))
        stored = app.inspect_document(found.document.doc_id)
    blocks = tuple(block for block in stored.blocks if found.holds(block.source_span))
    document = stored.model_copy(update={"blocks": blocks})
    if session.console.json:
        from kebab_wire import wire_document_inspection

        session.console.wire(wire_document_inspection(document))
    else:
        render_document(session.console, document)


@command.command("chunk")
@click.argument("passage")
@pass_session
def chunk(session: Session, passage: str) -> None:
    """Show a passage with its spans, sizes, versions and vectors."""
    from kebab_core import ChunkId

    from kebab_cli.addresses import find_chunk_id
    from kebab_cli.views.documents import render_chunk

    with session.open_app() as app:
        found = app.inspect_chunk(ChunkId(find_chunk_id(app, passage)))
        embeddings = app.list_embeddings(found.chunk.chunk_id)
    if session.console.json:
        from kebab_wire import wire_chunk_inspection

        session.console.wire(wire_chunk_inspection(found, embeddings=embeddings))
    else:
        render_chunk(session.console, found, embeddings)


_document_option = click.option("--doc", "address", metavar="ADDRESS", help="Only pages of this document.")
_limit_option = click.option(
    "--limit", type=WholeNumber(1, 1000), default=10, show_default=True, help="Most that are listed."
)


@command.command("ocr-stats")
@_document_option
@_limit_option
@pass_session
def ocr_stats(session: Session, address: str | None, limit: int) -> None:
    """Show how text recognition went: pages, failures, CPU time, and the slowest documents."""
    from kebab_app import sum_up_readings

    from kebab_cli.views.pictures import render_ocr_stats

    with session.open_app() as app:
        stats = sum_up_readings(app.base, address=address and expand_hit(app, address))
    if session.console.json:
        from kebab_wire import wire_ocr_stats

        session.console.wire(wire_ocr_stats(stats, limit=limit))
    else:
        render_ocr_stats(session.console, stats, limit=limit)


@command.command("ocr-failures")
@_document_option
@_limit_option
@pass_session
def ocr_failures(session: Session, address: str | None, limit: int) -> None:
    """List pages and pictures whose text could not be recognised, with the reason. `kebab ocr` tries them again."""
    from kebab_app import list_readings

    from kebab_cli.views.pictures import render_ocr_failures

    with session.open_app() as app:
        wanted = address and expand_hit(app, address)
        failures = list_readings(app.base, address=wanted, failed=True)
        doc_id = app.find_address(wanted).document.doc_id if wanted else None
    if session.console.json:
        from kebab_wire import wire_ocr_failures

        from kebab_cli.remedies import render_remedy

        wire = wire_ocr_failures(failures, doc_id=doc_id, limit=limit, render=render_remedy)
        session.console.wire(wire)
    else:
        render_ocr_failures(session.console, failures, limit=limit)

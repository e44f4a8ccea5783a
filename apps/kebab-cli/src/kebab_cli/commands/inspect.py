"""`kebab inspect`."""

from __future__ import annotations

import click

from kebab_cli.options import KebabGroup
from kebab_cli.session import Session, expand_hit, pass_session


@click.group(cls=KebabGroup)
def command() -> None:
    """Show how a document or passage is stored.

    Examples:
      kebab inspect doc notes/policy.md
      kebab inspect doc paper.pdf#p=3
      kebab inspect chunk notes/policy.md#L10-L42 --json
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

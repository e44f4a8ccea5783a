"""Values kept as JSON text in a column, and their way back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from kebab_core import LineSpan, MediaType, SourceUri
from pydantic import TypeAdapter

if TYPE_CHECKING:
    from kebab_core import Block, IngestScope, SourceSpan


def json_text(value: object) -> str:
    """Return plain JSON data as text, without insignificant white space, letters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_array(items: Sequence[str]) -> str:
    """Return JSON texts as one JSON array."""
    return f"[{','.join(items)}]"


def span_json(span: SourceSpan) -> str:
    """Return a span as JSON; lines, which every block and chunk of a text has, without asking the model."""
    if type(span) is LineSpan:
        return f'{{"kind":"line","start":{span.start},"end":{span.end}}}'
    return span.model_dump_json()


@cache
def blocks_type() -> TypeAdapter[tuple[Block, ...]]:
    """Return the reader of a document's blocks."""
    from kebab_core import Block

    return TypeAdapter(tuple[Block, ...])


@cache
def media_type_type() -> TypeAdapter[MediaType]:
    """Return the reader of a medium."""
    # mypy wants a class here, and a discriminated union is none.
    media: Any = MediaType
    return TypeAdapter(media)


@cache
def source_uri_type() -> TypeAdapter[SourceUri]:
    """Return the reader of a source address."""
    uri: Any = SourceUri
    return TypeAdapter(uri)


@cache
def scopes_type() -> TypeAdapter[tuple[IngestScope, ...]]:
    """Return the reader of a run's scopes."""
    from kebab_core import IngestScope

    return TypeAdapter(tuple[IngestScope, ...])

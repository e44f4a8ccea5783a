"""Text formats of columns: JSON, instants and file times."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from kebab_core import LineSpan, MediaType, SourceUri
from pydantic import TypeAdapter

if TYPE_CHECKING:
    from kebab_core import Block, IngestScope, SourceSpan


def json_text(value: object) -> str:
    """Return JSON data as text, compact and not escaped to ASCII."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_array(items: Sequence[str]) -> str:
    """Join JSON texts to one JSON array."""
    return f"[{','.join(items)}]"


def span_json(span: SourceSpan) -> str:
    """Return a span as JSON; line spans, the most common, are formatted without pydantic."""
    if type(span) is LineSpan:
        return f'{{"kind":"line","start":{span.start},"end":{span.end}}}'
    return span.model_dump_json()


@cache
def blocks_type() -> TypeAdapter[tuple[Block, ...]]:
    """Return the validator of a document's blocks."""
    from kebab_core import Block

    return TypeAdapter(tuple[Block, ...])


@cache
def media_type_type() -> TypeAdapter[MediaType]:
    """Return the validator of a media type."""
    # mypy wants a class here, and a discriminated union is none.
    media: Any = MediaType
    return TypeAdapter(media)


@cache
def source_uri_type() -> TypeAdapter[SourceUri]:
    """Return the validator of a source URI."""
    uri: Any = SourceUri
    return TypeAdapter(uri)


@cache
def scopes_type() -> TypeAdapter[tuple[IngestScope, ...]]:
    """Return the validator of a run's scopes."""
    from kebab_core import IngestScope

    return TypeAdapter(tuple[IngestScope, ...])


def timestamp(at: datetime) -> str:
    """Return an aware instant as RFC 3339 in UTC with six decimals: of one width, so that text order is time order."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def optional_instant(text: str | None) -> datetime | None:
    """Parse a text of `timestamp`; None for None."""
    return None if text is None else datetime.fromisoformat(text)


def time_text(nanoseconds: int | None) -> str | None:
    """Return a file time as text: file systems use all 64 bits, SQLite integers have 63."""
    return None if nanoseconds is None else str(nanoseconds)

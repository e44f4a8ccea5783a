"""What front matter and the surroundings of a file say about a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from kebab_core import ExtractContext, Metadata, SourceType, TrustLevel
from pydantic import JsonValue

from kebab_parse_md.frontmatter_values import (
    read_instant,
    read_lang,
    read_names,
    read_source_type,
    read_tags,
    read_text,
    read_trust_level,
)

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """Front matter with its meanings given."""

    title: str | None
    lang: str | None
    metadata: Metadata
    warnings: tuple[str, ...]


def build_metadata(
    values: Mapping[str, JsonValue],
    *,
    context: ExtractContext,
    body_tags: Sequence[str] = (),
    default_source_type: SourceType,
) -> DocumentFacts:
    """Give front-matter keys their meaning; what is not understood stays in `metadata.user`.

    Front matter wins over the source's defaults, these over kebab's. A value of the wrong kind is a warning, the
    default applies, and the value stays in `user`. Of two keys for one thing the first in the table wins.

    Args:
        values: Keys as written.
        context: The file and its source.
        body_tags: `#tags` of the body; they follow those of the front matter.
        default_source_type: What a document of this medium is unless told otherwise.

    Returns:
        Title and language where front matter gives them, the metadata, and one warning per bad value.
    """
    fields = _Fields(values)
    title = fields.take(("title",), read_text, "a text")
    lang = fields.take(("lang",), read_lang, "a language tag such as `ko`")
    tags = fields.take(("tags", "tag"), read_tags, "a list of tags") or ()
    aliases = fields.take(("aliases", "alias"), read_names, "a list of names") or ()
    created = fields.take(("created_at", "created", "date"), read_instant, "a date")
    updated = fields.take(("updated_at", "updated", "modified"), read_instant, "a date")
    source_type = fields.take(("source_type",), read_source_type, "a source type")
    trust_level = fields.take(("trust_level",), read_trust_level, "a trust level")
    metadata = Metadata(
        aliases=aliases,
        tags=tuple(dict.fromkeys((*tags, *body_tags))),
        created_at=created or context.file_created_at,
        updated_at=updated or context.file_modified_at,
        source_type=source_type or context.source_type or default_source_type,
        trust_level=trust_level or context.trust_level or TrustLevel.PRIMARY,
        user_id_alias=fields.take(("id",), read_text, "a text"),
        user=fields.left,
    )
    return DocumentFacts(title, lang, metadata, tuple(fields.warnings))


class _Fields:
    """Front-matter keys that are taken one by one; the rest stays in `left`."""

    def __init__(self, values: Mapping[str, JsonValue]) -> None:
        self.left: dict[str, JsonValue] = dict(values)
        self.warnings: list[str] = []

    def take(self, names: Sequence[str], read: Callable[[JsonValue], _T | None], expected: str) -> _T | None:
        """Return the value of the first name that is there, None without one or if it is bad."""
        key = self._find(names)
        if key is None:
            return None
        value = self.left[key]
        if value is None or value == "":
            del self.left[key]
            return None
        read_value = read(value)
        if read_value is None:
            self.warnings.append(f"front matter `{key}` is not {expected}; ignored: {str(value)[:60]!r}")
        else:
            del self.left[key]
        return read_value

    def _find(self, names: Sequence[str]) -> str | None:
        by_folded = {key.strip().lower().replace("-", "_"): key for key in reversed(self.left)}
        return next((by_folded[name] for name in names if name in by_folded), None)

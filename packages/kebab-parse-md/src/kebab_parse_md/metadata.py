"""What front matter and the resources of a file say about a document."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from kebab_core import (
    MAX_LABEL_CHARS,
    MAX_NAME_CHARS,
    MAX_NAMES,
    MAX_USER_METADATA_CHARS,
    ExtractContext,
    Metadata,
    SourceType,
    TrustLevel,
)
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
    """As written, however long."""
    lang: str | None
    metadata: Metadata
    warnings: tuple[str, ...]
    is_cut: bool = False
    """Whether front matter says more than the metadata hold."""


def build_metadata(
    values: Mapping[str, JsonValue],
    *,
    context: ExtractContext,
    body_tags: Sequence[str] = (),
    default_source_type: SourceType,
) -> DocumentFacts:
    """Give front-matter keys their meaning; what is not understood stays in `metadata.user`.

    Front matter wins over the source's defaults, these over kebab's; only trust may not be raised above the source's
    level. A value of the wrong kind is a warning, the default applies, and the value stays in `user`. Of two keys for
    one thing the first in the table wins. Names and keys beyond what metadata may hold are left out with a warning.

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
    own_id = fields.take(("id",), read_text, "a text")
    metadata = Metadata(
        aliases=fields.limit_names("alias", aliases),
        tags=fields.limit_names("tag", dict.fromkeys((*tags, *body_tags))),
        created_at=created or context.file_created_at,
        updated_at=updated or context.file_modified_at,
        source_type=source_type or context.source_type or default_source_type,
        trust_level=fields.limit_trust(trust_level, context.trust_level or TrustLevel.PRIMARY),
        user_id_alias=next(iter(fields.limit_names("id", () if own_id is None else (own_id,))), None),
        user=fields.limit_left(),
    )
    is_cut = fields.is_cut or len(title or "") > MAX_LABEL_CHARS
    return DocumentFacts(title, lang, metadata, tuple(fields.warnings), is_cut)


class _Fields:
    """Front-matter keys that are taken one by one; the rest stays in `left`."""

    def __init__(self, values: Mapping[str, JsonValue]) -> None:
        self.left: dict[str, JsonValue] = dict(values)
        self.warnings: list[str] = []
        self.is_cut = False

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

    def limit_names(self, kind: str, names: Collection[str]) -> tuple[str, ...]:
        """Return the first names that are short enough, as many as a document may have."""
        kept = tuple(name for name in names if len(name) <= MAX_NAME_CHARS)[:MAX_NAMES]
        if left_out := len(names) - len(kept):
            self._note_cut(
                f"`{kind}`: {left_out:,} left out: more than {MAX_NAMES}, or longer than {MAX_NAME_CHARS} characters"
            )
        return kept

    def limit_trust(self, claimed: TrustLevel | None, highest: TrustLevel) -> TrustLevel:
        """Return the level that front matter claims, which is at most that of where the document comes from."""
        if claimed is None or claimed.rank >= highest.rank:
            return claimed or highest
        self.warnings.append(
            f"front matter `trust_level: {claimed}` is above what its source is trusted with; it is {highest}"
        )
        return highest

    def limit_left(self) -> dict[str, JsonValue]:
        """Return the keys that have no meaning, from the first on, as many as metadata may hold."""
        kept: dict[str, JsonValue] = {}
        room = MAX_USER_METADATA_CHARS
        for key, value in self.left.items():
            size = len(json.dumps({key: value}, ensure_ascii=False))
            if size <= room:
                room -= size
                kept[key] = value
        if left_out := len(self.left) - len(kept):
            self._note_cut(
                f"front matter: {left_out:,} keys left out: more than {MAX_USER_METADATA_CHARS:,} characters together"
            )
        return kept

    def _note_cut(self, warning: str) -> None:
        self.warnings.append(warning)
        self.is_cut = True

    def _find(self, names: Sequence[str]) -> str | None:
        by_folded = {key.strip().lower().replace("-", "_"): key for key in reversed(self.left)}
        return next((by_folded[name] for name in names if name in by_folded), None)

"""Metadata of a document, from the values of its front matter and from its file and source."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TypeVar

from kebab_core import (
    MAX_LABEL_CHARS,
    MAX_NAME_CHARS,
    MAX_NAMES,
    MAX_USER_METADATA_CHARS,
    ExtractContext,
    Message,
    Metadata,
    SourceType,
    TrustLevel,
)
from pydantic import JsonValue

_T = TypeVar("_T")
_LANG = re.compile(r"([A-Za-z]{2,3})(?:[-_][A-Za-z0-9-_]+)?")
_DATE_SEPARATORS = re.compile(r"^(\d{4})[./](\d{1,2})[./](\d{1,2})\.?(?=$|[ T])")
_SEPARATORS = re.compile(r"[,\s]+")


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """Title, language and metadata as front matter, file and source give them."""

    title: str | None
    """As written, of any length."""
    lang: str | None
    metadata: Metadata
    warnings: tuple[Message, ...]
    is_cut: bool = False
    """Whether front matter holds more than the metadata can."""


def build_metadata(
    values: Mapping[str, JsonValue],
    *,
    context: ExtractContext,
    body_tags: Sequence[str] = (),
    name_dates: tuple[datetime, datetime] | None = None,
    default_source_type: SourceType,
) -> DocumentFacts:
    """Read the keys of front matter that kebab knows; all others stay in `metadata.user`.

    Front matter wins over the source's defaults, and these win over kebab's. Only trust cannot be raised above the
    source's level. A value of the wrong type gives a warning and stays in `user`, and the default applies. Of two keys
    for one field the first in the list wins. `date` stands for whichever of the two other dates is missing, and the dates of
    the file's name for those that front matter lacks; a document that names only the date of its creation has not changed
    since, whatever a copy or checkout made of its file's times. Names and keys beyond the limits of metadata are dropped
    with a warning.

    Args:
        values: Keys as written.
        context: The file and its source.
        body_tags: `#tags` of the body; they follow those of the front matter.
        name_dates: The first and the last day in the file's name.
        default_source_type: Source type where neither front matter nor source names one.

    Returns:
        Title and language if front matter has them, the metadata, and one warning for each bad value.
    """
    fields = _Fields(values)
    title = fields.take(("title",), read_text, Message("a text"))
    lang = fields.take(("lang",), read_lang, Message("a language tag such as `ko`"))
    tags = fields.take(("tags", "tag"), read_tags, Message("a list of tags")) or ()
    aliases = fields.take(("aliases", "alias"), read_names, Message("a list of names")) or ()
    created = fields.take(("created_at", "created"), read_instant, Message("a date"))
    updated = fields.take(("updated_at", "updated", "modified", "lastmod"), read_instant, Message("a date"))
    dated = None
    if created is None or updated is None:
        dated = fields.take(("date",), read_instant, Message("a date"))
    first, last = name_dates or (None, None)
    updated = updated or dated or created or last
    created = created or dated or first
    source_type = fields.take(("source_type",), read_source_type, Message("a source type"))
    trust_level = fields.take(("trust_level",), read_trust_level, Message("a trust level"))
    own_id = fields.take(("id",), read_text, Message("a text"))
    metadata = Metadata(
        aliases=fields.limit_names("alias", aliases),
        tags=fields.limit_names("tag", dict.fromkeys((*tags, *body_tags))),
        created_at=created or context.file_created_at,
        updated_at=updated or context.file_modified_at,
        stated_on=None if updated is None else _local_day(updated),
        source_type=source_type or context.source_type or default_source_type,
        trust_level=fields.limit_trust(trust_level, context.trust_level or TrustLevel.PRIMARY),
        user_id_alias=next(iter(fields.limit_names("id", () if own_id is None else (own_id,))), None),
        user=fields.limit_left(),
    )
    is_cut = fields.is_cut or len(title or "") > MAX_LABEL_CHARS
    return DocumentFacts(title, lang, metadata, tuple(fields.warnings), is_cut)


class _Fields:
    """Keys of front matter, taken one by one. The keys not taken yet are in `left`."""

    def __init__(self, values: Mapping[str, JsonValue]) -> None:
        self.left: dict[str, JsonValue] = dict(values)
        self.warnings: list[Message] = []
        self.is_cut = False

    def take(
        self, names: Sequence[str], read: Callable[[JsonValue], _T | None], expected: Message
    ) -> _T | None:
        """Return the value of the first of the names that is present; None if none is, or if the value is bad."""
        key = self._find(names)
        if key is None:
            return None
        value = self.left[key]
        if value is None or value == "":
            del self.left[key]
            return None
        read_value = read(value)
        if read_value is None:
            self.warnings.append(
                Message(
                    "front matter `{key}` is not {expected}; ignored: {value!r}",
                    key=key,
                    expected=expected,
                    value=str(value)[:60],
                )
            )
        else:
            del self.left[key]
        return read_value

    def limit_names(self, kind: str, names: Collection[str]) -> tuple[str, ...]:
        """Return the names that are not too long, at most `MAX_NAMES`."""
        kept = tuple(name for name in names if len(name) <= MAX_NAME_CHARS)[:MAX_NAMES]
        if left_out := len(names) - len(kept):
            self._note_cut(
                Message(
                    "`{kind}`: {left_out:,} left out: more than {names}, or longer than {chars} characters",
                    kind=kind,
                    left_out=left_out,
                    names=MAX_NAMES,
                    chars=MAX_NAME_CHARS,
                )
            )
        return kept

    def limit_trust(self, claimed: TrustLevel | None, highest: TrustLevel) -> TrustLevel:
        """Return the claimed trust level, but not above that of the source."""
        if claimed is None or claimed.rank >= highest.rank:
            return claimed or highest
        self.warnings.append(
            Message(
                "front matter `trust_level: {claimed}` is above what its source is trusted with; it is {highest}",
                claimed=claimed,
                highest=highest,
            )
        )
        return highest

    def limit_left(self) -> dict[str, JsonValue]:
        """Return the keys that are left, in order, as many as metadata can hold."""
        kept: dict[str, JsonValue] = {}
        room = MAX_USER_METADATA_CHARS
        for key, value in self.left.items():
            size = len(json.dumps({key: value}, ensure_ascii=False))
            if size <= room:
                room -= size
                kept[key] = value
        if left_out := len(self.left) - len(kept):
            self._note_cut(
                Message(
                    "front matter: {left_out:,} keys left out: more than {chars:,} characters together",
                    left_out=left_out,
                    chars=MAX_USER_METADATA_CHARS,
                )
            )
        return kept

    def _note_cut(self, warning: Message) -> None:
        self.warnings.append(warning)
        self.is_cut = True

    def _find(self, names: Sequence[str]) -> str | None:
        by_folded = {key.strip().lower().replace("-", "_"): key for key in reversed(self.left)}
        return next((by_folded[name] for name in names if name in by_folded), None)


def read_text(value: JsonValue) -> str | None:
    """Return a text or number as one line; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return " ".join(str(value).split()) or None


def read_names(value: JsonValue) -> tuple[str, ...] | None:
    """Return the names of a list or of a comma-separated text, each once; None for a bad value."""
    if isinstance(value, str):
        return _read_items([*value.split(",")])
    return _read_items(value if isinstance(value, list) else [value])


def read_tags(value: JsonValue) -> tuple[str, ...] | None:
    """Return the tags of a list, or of a text separated by commas or blanks, without `#`; None for a bad value."""
    if isinstance(value, str):
        return _read_items([part.lstrip("#") for part in _SEPARATORS.split(value)])
    names = _read_items(value if isinstance(value, list) else [value])
    return None if names is None else tuple(dict.fromkeys(name.lstrip("#") for name in names))


def read_lang(value: JsonValue) -> str | None:
    """Return the primary language subtag in lower case, `ko` for `ko-KR`; None for a bad value."""
    match = _LANG.fullmatch(value.strip()) if isinstance(value, str) else None
    return match[1].lower() if match else None


def read_source_type(value: JsonValue) -> SourceType | None:
    """Return the source type of that name; None for a bad value and for code, which front matter cannot choose."""
    name = value.strip().lower() if isinstance(value, str) else ""
    return SourceType(name) if name in set(SourceType) - {SourceType.CODE} else None


def read_trust_level(value: JsonValue) -> TrustLevel | None:
    """Return the trust level of that name; None for a bad value."""
    name = value.strip().lower() if isinstance(value, str) else ""
    return TrustLevel(name) if name in set(TrustLevel) else None


def read_instant(value: JsonValue) -> datetime | None:
    """Return a date or time in UTC; without a zone it is one of this machine's, a date its midnight; None for a bad value."""
    text = read_text(value)
    if text is None:
        return None
    text = _DATE_SEPARATORS.sub(lambda part: f"{part[1]}-{part[2]:0>2}-{part[3]:0>2}", text)
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _local_day(instant: datetime) -> date:
    try:
        return instant.astimezone().date()
    except (OverflowError, ValueError):  # at the ends of the calendar
        return instant.date()


def _read_items(items: list[JsonValue]) -> tuple[str, ...] | None:
    if any(isinstance(item, dict | list | bool) for item in items):
        return None
    names = [read_text(item) for item in items if item not in {None, ""}]
    found = tuple(dict.fromkeys(name for name in names if name is not None))
    return found if found or not names else None

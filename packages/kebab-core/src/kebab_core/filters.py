"""Filters of documents."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from kebab_core.facets import MediaKind, SourceType, TrustLevel
from kebab_core.files import SourceId
from kebab_core.ids import DocumentId
from kebab_core.model import Model, UtcDatetime

LowerCaseName = Annotated[str, StringConstraints(to_lower=True, strip_whitespace=True)]
"""A name in lower case; input of any case is folded."""


_MAX_VALUES = 100
"""Values of one filter, at most."""
_MAX_GLOBS = 32
"""Fewer, since each is held against the path of every document."""
_MAX_VALUE_CHARS = 1000

_Text = Annotated[str, Field(max_length=_MAX_VALUE_CHARS)]
_LowerCaseText = Annotated[LowerCaseName, Field(max_length=_MAX_VALUE_CHARS)]
_Glob = Annotated[str, Field(min_length=1, max_length=_MAX_VALUE_CHARS)]


class SearchFilters(Model):
    """Filter of documents: OR inside a field, AND across fields, an empty field does not filter.

    A search also looks at the pictures that a document shows: they pass the fields in `OF_NOTES` where it does, and all others by
    themselves. A field has at most 100 values, `path_glob` 32, each of at most 1,000 characters.
    """

    OF_NOTES: ClassVar[frozenset[str]] = frozenset({
        "tags_any",
        "lang",
        "path_glob",
        "since",
        "until",
        "source_id",
    })
    """Fields that a picture also passes as a part of a document that shows it."""

    tags_any: tuple[_Text, ...] = Field(default=(), max_length=_MAX_VALUES)
    """A tag also selects the tags nested in it: `project` selects `project/alpha`."""
    lang: tuple[_LowerCaseText, ...] = Field(default=(), max_length=_MAX_VALUES)
    path_glob: tuple[_Glob, ...] = Field(default=(), max_length=_MAX_GLOBS)
    """Globs on the whole workspace path: `*` and `?` stay within a folder, `**` crosses folders, a trailing `/` is
    everything below. A source and a colon before a glob select paths of that source."""
    trust_min: TrustLevel | None = None
    media: tuple[MediaKind, ...] = Field(default=(), max_length=_MAX_VALUES)
    ingested_after: UtcDatetime | None = None
    """Compares `indexed_at`, exclusive."""
    since: UtcDatetime | None = None
    """Compares the date of the document itself (`updated_at`: of its front matter or metadata, its name, or its file), inclusive."""
    until: UtcDatetime | None = None
    """Compares the same date, inclusive."""
    modified_since: UtcDatetime | None = None
    """Compares the modification time of the file, inclusive."""
    doc_id: tuple[DocumentId, ...] = Field(default=(), max_length=_MAX_VALUES)
    repo: tuple[_Text, ...] = Field(default=(), max_length=_MAX_VALUES)
    code_lang: tuple[_LowerCaseText, ...] = Field(default=(), max_length=_MAX_VALUES)
    symbol: tuple[_Text, ...] = Field(default=(), max_length=_MAX_VALUES)
    """Names of symbols of source code, whole or their last parts, in any case and style: the files that define one."""
    source_id: tuple[Annotated[SourceId, Field(max_length=_MAX_VALUE_CHARS)], ...] = Field(
        default=(), max_length=_MAX_VALUES
    )
    source_type: tuple[SourceType, ...] = Field(default=(), max_length=_MAX_VALUES)

    @property
    def is_empty(self) -> bool:
        """True if every document passes."""
        return not any(getattr(self, name) for name in SearchFilters.model_fields)

    def split_for_pictures(self) -> tuple[SearchFilters, SearchFilters]:
        """Return the filters that a picture passes as a part of a document, and those that it passes by itself only."""
        names = SearchFilters.model_fields.keys() - self.OF_NOTES
        return (
            SearchFilters(**{name: getattr(self, name) for name in self.OF_NOTES}),
            SearchFilters(**{name: getattr(self, name) for name in names}),
        )

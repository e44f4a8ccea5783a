"""The chunkers by label. A new chunker is one module and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from kebab_core import Chunker, ChunkerVersion, InvalidInputError, Remedy, TokenCounter

from kebab_chunk.by_heading import HEADING_CHUNKER_VERSION, PAGE_CHUNKER_VERSION, HeadingChunker
from kebab_chunk.code_chunker import CodeChunker, CutCode
from kebab_chunk.code_manifests import (
    DOCKERFILE_CHUNKER_VERSION,
    MANIFEST_CHUNKER_VERSION,
    cut_manifest,
    cut_stages,
)
from kebab_chunk.code_paragraphs import CODE_TEXT_CHUNKER_VERSION, cut_paragraphs
from kebab_chunk.code_units import CODE_UNIT_CHUNKER_VERSIONS, cut_unit
from kebab_chunk.kubernetes_resources import RESOURCE_CHUNKER_VERSION, cut_resources

_CODE: Mapping[ChunkerVersion, CutCode] = {
    CODE_TEXT_CHUNKER_VERSION: cut_paragraphs,
    RESOURCE_CHUNKER_VERSION: cut_resources,
    DOCKERFILE_CHUNKER_VERSION: cut_stages,
    MANIFEST_CHUNKER_VERSION: cut_manifest,
    **dict.fromkeys(CODE_UNIT_CHUNKER_VERSIONS, cut_unit),
}
_CHUNKERS: Mapping[str, Callable[[TokenCounter], Chunker]] = {
    HEADING_CHUNKER_VERSION: HeadingChunker,
    PAGE_CHUNKER_VERSION: partial(HeadingChunker, version=PAGE_CHUNKER_VERSION),
    **{version: partial(CodeChunker, version=version, cut=cut) for version, cut in _CODE.items()},
}

CHUNKER_VERSIONS: tuple[ChunkerVersion, ...] = tuple(ChunkerVersion(version) for version in _CHUNKERS)
"""Labels that `build_chunker` accepts."""


def build_chunker(version: str, counter: TokenCounter) -> Chunker:
    """Return the chunker with this label.

    Raises:
        InvalidInputError: No chunker has it.
    """
    build = _CHUNKERS.get(version)
    if build is None:
        known = ", ".join(_CHUNKERS)
        raise InvalidInputError(
            "there is no chunker {version!r}", remedy=Remedy(kind="choose", name=known), version=version
        )
    return build(counter)

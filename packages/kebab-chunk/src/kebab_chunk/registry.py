"""The chunkers by label. A new chunker of source code is one module and one line here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from kebab_core import Chunker, ChunkerVersion, InvalidInputError, Remedy, TokenCounter

from kebab_chunk.by_heading import HEADING_CHUNKER_VERSION, PAGE_CHUNKER_VERSION, HeadingChunker

if TYPE_CHECKING:
    from kebab_chunk.code_chunker import CutCode

_CODE = {
    "code-text-paragraph-v1": "code_paragraphs:cut_paragraphs",
    "k8s-manifest-resource-v1": "kubernetes_resources:cut_resources",
    "dockerfile-file-v2": "code_manifests:cut_stages",
    "manifest-file-v1": "code_manifests:cut_manifest",
    **{
        f"code-{language}-ast-v2": "code_units:cut_unit"
        for language in ("c", "cpp", "go", "java", "js", "kotlin", "python", "rust", "ts")
    },
}
"""Label to `module:function` of this package that cuts; loaded when it is built."""

CHUNKER_VERSIONS: tuple[ChunkerVersion, ...] = (
    HEADING_CHUNKER_VERSION,
    PAGE_CHUNKER_VERSION,
    *map(ChunkerVersion, _CODE),
)
"""Labels that `build_chunker` accepts."""


def build_chunker(version: str, counter: TokenCounter) -> Chunker:
    """Return the chunker with this label.

    Raises:
        InvalidInputError: No chunker has it.
    """
    if version in {HEADING_CHUNKER_VERSION, PAGE_CHUNKER_VERSION}:
        return HeadingChunker(counter, version=ChunkerVersion(version))
    if version not in _CODE:
        known = ", ".join(CHUNKER_VERSIONS)
        raise InvalidInputError(
            "there is no chunker {version!r}", remedy=Remedy(kind="choose", name=known), version=version
        )
    from kebab_chunk.code_chunker import CodeChunker

    module, _, name = _CODE[version].partition(":")
    cut = cast("CutCode", getattr(import_module(f"kebab_chunk.{module}"), name))
    return CodeChunker(counter, version=ChunkerVersion(version), cut=cut)

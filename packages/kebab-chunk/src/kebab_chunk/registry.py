"""The chunkers by label. A new chunker of source code is one module and one line here.

Blocks of code become passages by one of several ways to cut them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Final, cast

from kebab_core import (
    CanonicalDocument,
    Chunk,
    Chunker,
    ChunkerVersion,
    ChunkPolicy,
    CodeBlock,
    InvalidInputError,
    Remedy,
    TokenCounter,
)

from kebab_chunk.by_heading import HEADING_CHUNKER_VERSION, PAGE_CHUNKER_VERSION, HeadingChunker
from kebab_chunk.code_passages import CodePassage, build_chunks

_CODE = {
    "code-text-paragraph-v1": "code_units:cut_paragraphs",
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

CutCode = Callable[[CodeBlock, TokenCounter, ChunkPolicy], Iterator[CodePassage]]
"""Cuts a block into passages, in order, none above the largest size."""


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
    module, _, name = _CODE[version].partition(":")
    cut = cast("CutCode", getattr(import_module(f"kebab_chunk.{module}"), name))
    return CodeChunker(counter, version=ChunkerVersion(version), cut=cut)


class CodeChunker:
    """Chunker of the blocks of code of a document; blocks of other kinds are in no chunk.

    Args:
        counter: Counts the tokens of texts.
        version: Label of the chunks.
        cut: Cuts a block.
    """

    crosses_pages: Final = True

    def __init__(self, counter: TokenCounter, *, version: ChunkerVersion, cut: CutCode) -> None:
        self._counter = counter
        self._version = version
        self._cut = cut

    def chunker_version(self) -> ChunkerVersion:
        """Return the label."""
        return self._version

    def policy_hash(self, policy: ChunkPolicy) -> str:
        """Return the hash of the policy with this chunker's own counter in place of the policy's."""
        return policy.model_copy(update={"token_counter": self._counter.label}).hash()

    def chunk(self, document: CanonicalDocument, policy: ChunkPolicy) -> list[Chunk]:
        """Cut a document into chunks, in document order."""
        return build_chunks(
            document,
            (
                passage
                for block in document.blocks
                if isinstance(block, CodeBlock)
                for passage in self._cut(block, self._counter, policy)
            ),
            counter=self._counter,
            version=self._version,
            policy=policy,
        )

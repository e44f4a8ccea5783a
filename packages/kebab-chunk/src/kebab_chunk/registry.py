"""The chunkers by label. A new chunker of source code is one module and one line here.

Blocks of code become passages by one of several ways to cut them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Final

from kebab_core import (
    Chunk,
    Chunker,
    ChunkerVersion,
    ChunkPolicy,
    CodeBlock,
    InvalidInputError,
    LongDocument,
    Remedy,
    TokenCounter,
)

if TYPE_CHECKING:
    from kebab_chunk.code_passages import CodePassage

    CutCode = Callable[[CodeBlock, TokenCounter, ChunkPolicy], Iterator[CodePassage]]
    """Cuts a block into passages, in order, none above the largest size."""

HEADING_CHUNKER_VERSION = ChunkerVersion("md-heading-v4")
PAGE_CHUNKER_VERSION = ChunkerVersion("pdf-page-v2")
"""Label of the chunks of documents with pages, so that their rules can change by themselves."""

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
"""Label to `module:function` of this package that cuts; loaded when it cuts."""

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
    return CodeChunker(counter, version=ChunkerVersion(version))


class _LabelledChunker:
    """A chunker with a label.

    Args:
        counter: Counts the tokens of texts.
        version: Label of the chunks.
    """

    def __init__(self, counter: TokenCounter, *, version: ChunkerVersion = HEADING_CHUNKER_VERSION) -> None:
        self._counter = counter
        self._version = version

    def chunker_version(self) -> ChunkerVersion:
        """Return the label."""
        return self._version

    def policy_hash(self, policy: ChunkPolicy) -> str:
        """Return the hash of the policy with this chunker's own counter in place of the policy's."""
        return policy.model_copy(update={"token_counter": self._counter.label}).hash()


class HeadingChunker(_LabelledChunker):
    """Chunker of documents with headings: no chunk crosses a heading or a page; code and tables stay whole where they fit."""

    crosses_pages: Final = False

    def chunk(self, document: LongDocument, policy: ChunkPolicy) -> Iterator[Chunk]:
        """Cut a document, with the blocks of at most three chunks in memory. See `by_heading.cut_document`."""
        from kebab_chunk.by_heading import cut_document

        return cut_document(
            document,
            policy,
            counter=self._counter,
            version=self._version,
            policy_hash=self.policy_hash(policy),
        )


class CodeChunker(_LabelledChunker):
    """Chunker of the blocks of code of a document; blocks of other kinds are in no chunk."""

    crosses_pages: Final = True

    def chunk(self, document: LongDocument, policy: ChunkPolicy) -> list[Chunk]:
        """Cut a document into chunks, in document order."""
        from kebab_chunk.code_passages import build_chunks

        module, _, name = _CODE[self._version].partition(":")
        cut: CutCode = getattr(import_module(f"kebab_chunk.{module}"), name)
        blocks = (block for block in document.blocks if isinstance(block, CodeBlock))
        return build_chunks(
            document.head,
            (passage for block in blocks for passage in cut(block, self._counter, policy)),
            counter=self._counter,
            version=self._version,
            policy=policy,
        )

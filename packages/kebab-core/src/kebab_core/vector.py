"""Vectors between embedder and vector store.

Many vectors cross as one read-only `memoryview` of C-contiguous float32, shape (n, d): numpy arrays, Arrow
buffers and `array.array` all give one without a copy, and core needs none of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, NewType

from pydantic import Field

from kebab_core.ids import (
    ChunkId,
    DocumentId,
    EmbeddingModelId,
    EmbeddingVersion,
    HexId,
    hash_canonical,
    hash_parts,
)
from kebab_core.link_targets import without_addresses
from kebab_core.model import Model

if TYPE_CHECKING:
    VectorMatrix = memoryview[float]
else:
    VectorMatrix = memoryview
"""float32, C-contiguous, shape (n, d), rows of unit L2 norm; without rows any shape that holds nothing."""

_VECTOR_COLLECTION = "chunks"
_VECTOR_INDEX_VERSION = "v1"
"""Version of the rows of a vector index; raise it with a change that old rows do not survive."""


class EmbeddingKind(StrEnum):
    """Role of a text in a search; some models prefix the two differently."""

    DOCUMENT = "document"
    QUERY = "query"


class EmbeddingId(HexId):
    """One chunk's vector by one exact model."""

    __slots__ = ()
    _noun = "the id of an embedding"


class IndexId(HexId):
    """One vector index: collection, exact model and index parameters."""

    __slots__ = ()
    _noun = "the id of a vector index"


TextHash = NewType("TextHash", bytes)
"""Key of the vector of a text: 16 bytes, the same for equal texts. See `text_hash_of`."""


class EmbeddingIdentity(Model):
    """An exact embedding model: two vectors may be compared only if these are equal."""

    model_id: EmbeddingModelId
    model_version: EmbeddingVersion
    dimensions: int = Field(ge=1)


class ActiveModel(NamedTuple):
    """A model that every passage had a vector of."""

    identity: EmbeddingIdentity
    settings_json: str
    """`EmbeddingSettings` by which its embedder can be built; the default ones where they are not known."""


class StoredModel(NamedTuple):
    """A model with vectors in the database, and what they take."""

    identity: EmbeddingIdentity
    settings_json: str
    """`EmbeddingSettings` by which its embedder can be built; `{}` where it never was complete."""
    vectors: int
    """Number of its vectors, those that no passage uses included."""
    size_bytes: int
    """Size of the vectors alone."""


class VectorRow(NamedTuple):
    """A passage that has a vector."""

    chunk_id: ChunkId
    doc_id: DocumentId
    lang: str
    """Language of the document, as in its filter. Models rank texts of the query's own language first, and the correction
    of that bias needs the language."""
    text_hash: TextHash


class VectorRows(NamedTuple):
    """The passages of a document that have a vector, packed: an index reads those of all documents."""

    doc_id: DocumentId
    lang: str
    """Language of the document."""
    chunk_ids: bytes
    """The 16 bytes of each id."""
    text_hashes: bytes
    """The hashes of their texts, likewise, in the same order."""

    def list_texts(self) -> list[TextHash]:
        """List the hashes of the texts."""
        starts = range(0, len(self.text_hashes), _HASH_BYTES)
        return [TextHash(self.text_hashes[start : start + _HASH_BYTES]) for start in starts]


class SampledVector(NamedTuple):
    """The vector of a passage from a sample of a base."""

    doc_id: DocumentId
    lang: str
    """Language of the document."""
    vector: bytes
    """In half precision, little-endian."""


class LanguageDistribution(NamedTuple):
    """The distribution of the cosines of one query with all vectors of a language; z-scores are measured by it."""

    lang: str
    vectors: int
    """Number of vectors of this language, at least 1; in a very large index, those of a sample."""
    mean: float
    deviation: float
    """Standard deviation, at least 0."""


class VectorHit(NamedTuple):
    """A chunk and its cosine with the query, [-1, 1]."""

    chunk_id: ChunkId
    cosine: float
    lang: str


class PendingEmbedding(NamedTuple):
    """A chunk that has no vector of a model yet."""

    chunk_id: ChunkId
    doc_id: DocumentId
    text: str
    """What the model gets, see `passage_text`."""
    text_hash: TextHash


class EmbeddingState(StrEnum):
    """State of the vector of one chunk and model."""

    PENDING = "pending"
    """Still to be made."""
    COMMITTED = "committed"
    """Stored, and used by search."""


class ChunkEmbedding(NamedTuple):
    """The vector of one chunk and model."""

    embedding_id: EmbeddingId
    identity: EmbeddingIdentity
    state: EmbeddingState


class EmbeddingCounts(NamedTuple):
    """Numbers of passages by the state of their vectors of a model."""

    pending: int
    committed: int
    unused: int
    """Stored vectors of any model that no passage uses."""


def embedding_id_for(*, chunk_id: ChunkId, model_id: str, model_version: str, dimensions: int) -> EmbeddingId:
    """The id of one chunk's vector. `model_version` is `<version>+<12 hex of the weights' hash>`."""
    return EmbeddingId(
        hash_parts(
            "embedding",
            chunk_id=chunk_id,
            model_id=model_id,
            model_version=model_version,
            dimensions=dimensions,
        )
    )


def index_id_for(
    *,
    collection: str,
    embedding_model: str,
    embedding_version: str,
    dimensions: int,
    index_version: str,
    index_kind: str,
    index_params_hash: str,
) -> IndexId:
    """The id of a vector index: any change of model, version, width or shape is another index."""
    return IndexId(
        hash_parts(
            "index",
            collection=collection,
            embedding_model=embedding_model,
            embedding_version=embedding_version,
            dimensions=dimensions,
            index_version=index_version,
            index_kind=index_kind,
            index_params_hash=index_params_hash,
        )
    )


def vector_index_of(identity: EmbeddingIdentity) -> IndexId:
    """Id of the index that holds the vectors of exactly this model."""
    return index_id_for(
        collection=_VECTOR_COLLECTION,
        embedding_model=identity.model_id,
        embedding_version=identity.model_version,
        dimensions=identity.dimensions,
        index_version=_VECTOR_INDEX_VERSION,
        index_kind="cosine",
        index_params_hash="",
    )


_HASH_BYTES = 16


def text_hash_of(text: str, kind: EmbeddingKind = EmbeddingKind.DOCUMENT) -> TextHash:
    """Hash a text that is embedded as a passage or as a query."""
    return TextHash(bytes.fromhex(hash_canonical({"kind": kind, "text": text}))[:_HASH_BYTES])


def passage_text(*, title: str, heading_path: Sequence[str], text: str, is_code: bool = False) -> str:
    """Make the text that stands for a passage: its text below title and headings, one to a line.

    A heading that repeats another word for word is left out, and so is one that the opening lines of the text show;
    addresses of links, which say nothing to a model of meaning, are left out too. Any
    change here gives other texts, and so other hashes: every vector is then made again.

    Args:
        title: Of the document.
        heading_path: From the outermost heading to the innermost.
        text: Of the chunk.
        is_code: Whether it is source code. Its title is its path, of which only the file's name counts: another checkout
            of a repository then has the same vectors.
    """
    headings = dict.fromkeys((title.rpartition("/")[2] if is_code else title, *heading_path))
    shown = _shown_at_the_start(text, {_fold(heading) for heading in headings})
    return "\n".join([
        *(heading for heading in headings if _fold(heading) not in shown),
        without_addresses(text),
    ])


def _shown_at_the_start(text: str, headings: Collection[str]) -> set[str]:
    shown = set()
    for line in filter(str.strip, text.splitlines()):
        if _fold(line) not in headings:
            break
        shown.add(_fold(line))
    return shown


def _fold(line: str) -> str:
    """Strip the marks of a heading from a line; search compares headings with lines in the same way."""
    return " ".join(line.lstrip("# ").split())

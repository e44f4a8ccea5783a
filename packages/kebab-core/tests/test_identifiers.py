import pickle
import unicodedata

import pytest
from hypothesis import given, strategies as st
from kebab_core import (
    AssetId,
    BlockId,
    ChunkId,
    DocumentId,
    EmbeddingId,
    IndexId,
    InvalidInputError,
    LineSpan,
    RegionSpan,
    SearchFilters,
    WorkspacePath,
    asset_id_for,
    block_id_for,
    chunk_id_for,
    document_id_for,
    embedding_id_for,
    hash_bytes,
    hash_canonical,
    index_id_for,
)
from kebab_testing.tables import walk
from pydantic import TypeAdapter, ValidationError

KINDS = (AssetId, BlockId, ChunkId, DocumentId, EmbeddingId, IndexId)
ASSET = asset_id_for(hash_bytes(b"content"))
DOC = DocumentId("0" * 32)
CHUNK = ChunkId("1" * 32)
hexes = st.text("0123456789abcdef", min_size=32, max_size=32)


def _document(path: str = "notes/a.md", *, parser: str = "md-v1", source: str = "default") -> DocumentId:
    return document_id_for(
        workspace_path=WorkspacePath(path), asset_id=ASSET, parser_version=parser, source_id=source
    )


def _block(**changes: object) -> BlockId:
    parts: dict[str, object] = {
        "doc_id": DOC,
        "block_kind": "paragraph",
        "heading_path": ("A", "나"),
        "ordinal": 0,
        "source_span": LineSpan(start=1, end=2),
    }
    return block_id_for(**{**parts, **changes})  # type: ignore[arg-type]


def _chunk(**changes: object) -> ChunkId:
    parts: dict[str, object] = {
        "doc_id": DOC,
        "chunker_version": "md-heading-v1",
        "block_ids": [_block()],
        "policy_hash": "0" * 16,
    }
    return chunk_id_for(**{**parts, **changes})  # type: ignore[arg-type]


def _embedding(**changes: object) -> EmbeddingId:
    parts: dict[str, object] = {
        "chunk_id": CHUNK,
        "model_id": "e5",
        "model_version": "v1+0123456789ab",
        "dimensions": 384,
    }
    return embedding_id_for(**{**parts, **changes})  # type: ignore[arg-type]


def _index(**changes: object) -> IndexId:
    parts: dict[str, object] = {
        "collection": "chunks",
        "embedding_model": "e5",
        "embedding_version": "v1+0123456789ab",
        "dimensions": 384,
        "index_version": "v1",
        "index_kind": "flat",
        "index_params_hash": "0" * 16,
    }
    return index_id_for(**{**parts, **changes})  # type: ignore[arg-type]


@given(hexes)
def test_upper_case_is_accepted_and_folded(value: str) -> None:
    assert ChunkId(value.upper()) == ChunkId(value) == value
    assert TypeAdapter(ChunkId).validate_python(value.upper()) == value
    assert SearchFilters.model_validate_json(f'{{"doc_id": ["{value.upper()}"]}}').doc_id == (value,)


@walk("kind", KINDS)
@walk("value", ["", "0" * 31, "0" * 33, "g" * 32, "0" * 32 + "\n", " " + "0" * 31, "０" * 32])
def test_anything_but_32_hex_digits_is_refused(kind: type[AssetId], value: str) -> None:
    with pytest.raises(InvalidInputError):
        kind(value)
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(value)


@walk("kind", KINDS)
def test_an_id_keeps_its_kind_through_validation_and_pickling(kind: type[AssetId]) -> None:
    value = TypeAdapter(kind).validate_python("A" * 32)
    assert type(value) is kind
    assert type(pickle.loads(pickle.dumps(value))) is kind


@given(st.binary(max_size=64))
def test_equal_content_has_an_equal_asset_id(content: bytes) -> None:
    assert asset_id_for(hash_bytes(content)) == asset_id_for(hash_bytes(bytes(content)))


def test_ids_are_the_first_half_of_the_hash_of_their_tuple() -> None:
    full = hash_canonical({
        "kind": "doc",
        "parser_version": "md-v1",
        "asset_id": ASSET,
        "workspace_path": "notes/a.md",
    })
    assert _document() == full[:32]


def test_ids_do_not_change_between_releases() -> None:
    assert ASSET == "63bfc4fb142a3cb8ed6ab016952d779d"
    assert _document() == "00a408e58a8a87db21362df757e587ff"
    assert _document(source="work") == "b4d22d3e85ce59aff254ca33123c6260"
    assert _block() == "2dec084cab6f34340e7eaf4afdb7e5e5"
    assert _chunk() == "85914ca789f697d617e8ae6ce5d10bff"
    assert _chunk(part=0) == "0dc691ab6d2b99de49fd34a0cb3da665"
    assert _embedding() == "edb1682586cf15239e5274b0e749e33d"
    assert _index() == "ad72cc56db9178ed9414c4919664a06e"


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from([
    "\x01\u0303",
    "\n\u0303",
    "가",
    '"\\',
])


@given(st.lists(texts, max_size=4), texts, st.integers(0, 9), st.integers(1, 9))
def test_the_id_of_a_block_is_the_hash_of_its_parts(
    path: list[str], kind: str, ordinal: int, line: int
) -> None:
    span = LineSpan(start=line, end=line + 1)
    parts = {
        "kind": "block",
        "doc_id": DOC,
        "block_kind": kind,
        "heading_path": path,
        "ordinal": ordinal,
        "source_span": span.model_dump(),
    }
    made = _block(block_kind=kind, heading_path=path, ordinal=ordinal, source_span=span)
    assert made == hash_canonical(parts)[:32]
    assert type(made) is BlockId


@given(st.lists(hexes.map(BlockId), max_size=4), texts, st.none() | st.integers(0, 9))
def test_the_id_of_a_chunk_is_the_hash_of_its_parts(
    blocks: list[BlockId], version: str, part: int | None
) -> None:
    own_part = {} if part is None else {"part": part}
    parts = {"kind": "chunk", "doc_id": DOC, "chunker_version": version, "block_ids": blocks, **own_part}
    made = _chunk(block_ids=blocks, chunker_version=version, part=part)
    assert made == hash_canonical({**parts, "policy_hash": "0" * 16})[:32]


def test_nfd_and_nfc_spellings_of_a_path_are_one_document() -> None:
    name = "노트/한글 이름.md"
    assert _document(unicodedata.normalize("NFD", name)) == _document(name)


@given(st.lists(st.text("가각é a", max_size=5), max_size=3))
def test_nfd_and_nfc_headings_are_one_block(headings: list[str]) -> None:
    composed = [unicodedata.normalize("NFC", heading) for heading in headings]
    decomposed = [unicodedata.normalize("NFD", heading) for heading in headings]
    assert _block(heading_path=composed) == _block(heading_path=decomposed)


def test_the_default_source_takes_no_part_and_every_other_does() -> None:
    assert len({_document(source=source) for source in ("default", "work", "home")}) == 3


@walk(
    "change",
    [
        {"doc_id": DocumentId("2" * 32)},
        {"block_kind": "quote"},
        {"heading_path": ("A",)},
        {"heading_path": ("A나",)},
        {"ordinal": 1},
        {"source_span": LineSpan(start=1, end=3)},
        {"source_span": RegionSpan(x=0, y=0, w=1, h=1)},
    ],
)
def test_every_part_of_a_block_counts(change: dict[str, object]) -> None:
    assert _block(**change) != _block()


@walk(
    "change",
    [
        {"doc_id": DocumentId("2" * 32)},
        {"chunker_version": "md-heading-v2"},
        {"block_ids": []},
        {"block_ids": [BlockId("3" * 32), _block()]},
        {"policy_hash": "1" * 16},
        {"part": 0},
        {"part": 1},
    ],
)
def test_every_part_of_a_chunk_counts(change: dict[str, object]) -> None:
    assert _chunk(**change) != _chunk()


def test_parts_of_one_block_have_different_ids() -> None:
    assert len({_chunk(part=part) for part in range(20)}) == 20


def test_the_order_of_blocks_counts() -> None:
    first, second = BlockId("3" * 32), BlockId("4" * 32)
    assert _chunk(block_ids=[first, second]) != _chunk(block_ids=[second, first])


@walk(
    "change",
    [
        {"chunk_id": ChunkId("5" * 32)},
        {"model_id": "m"},
        {"model_version": "v1+ba9876543210"},
        {"dimensions": 385},
    ],
)
def test_every_part_of_an_embedding_counts(change: dict[str, object]) -> None:
    assert _embedding(**change) != _embedding()


@walk(
    "change",
    [
        {"collection": "c"},
        {"embedding_model": "m"},
        {"embedding_version": "v2+0123456789ab"},
        {"dimensions": 385},
        {"index_version": "v2"},
        {"index_kind": "ivf"},
        {"index_params_hash": "1" * 16},
    ],
)
def test_every_part_of_an_index_counts(change: dict[str, object]) -> None:
    assert _index(**change) != _index()


def test_an_optional_field_that_is_absent_takes_no_part_in_a_span() -> None:
    expected = hash_canonical({
        "kind": "block",
        "doc_id": DOC,
        "block_kind": "image_ref",
        "heading_path": [],
        "ordinal": 0,
        "source_span": {"kind": "region", "x": 0, "y": 1, "w": 2, "h": 3},
    })
    block = _block(block_kind="image_ref", heading_path=(), source_span=RegionSpan(x=0, y=1, w=2, h=3))
    assert block == expected[:32]

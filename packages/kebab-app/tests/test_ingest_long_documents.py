"""What is made of a long document goes to the database through a file, and is what a short one would have become."""

from __future__ import annotations

import errno
import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from kebab_app.content import build_content_filter
from kebab_app.wiring import SystemClock, build_analyzer, build_processor
from kebab_chunk import HeadingChunker
from kebab_core import (
    Chunk,
    Chunker,
    ChunkPolicy,
    CodeIngestSettings,
    IngestSettings,
    LongDocument,
    LongRecord,
    MediaType,
    PackedDocument,
    RawAsset,
    SourceEntry,
    SourceScope,
    SourceSettings,
    StorageError,
    TokenCounter,
)
from kebab_ingest import FilePreparer, FileTask, Outcome, Recipe
from kebab_source_fs import FilesystemConnector
from kebab_store_sqlite import pack_document, pack_long as pack_in_file
from kebab_testing.fakes.clock import START

from tests.document_parts import read_blocks, read_passages

INPUTS = sorted((Path(__file__).parents[3] / "tests" / "goldens" / "pipeline" / "inputs").glob("[!.]*"))
SHORT, LONG = 1_000_000_000, 1
LISTED = "".join(f"- item {i}\n" for i in range(600))
CONTENTS = {
    **{path.name: path.read_bytes() for path in INPUTS},
    "empty.txt": b"",
    "blank.md": b"\n\n \n",
    "picture.md": "![](a.png)\n\n## 제목\n\n![](b.png)\n".encode(),
    "one line.txt": "색인은 다시 만들어진다. The index follows. ".encode() * 400,
    "paragraphs.txt": "첫 문단이다.\r\n\r\nSecond paragraph\rwith lines.\n\n\n".encode() * 300,
    "many.md": (
        "## 장\n\n문장이다. A `b` [c][k].\n\n" * 400 + LISTED + "\n[k]: /u\n\n# 이름 #tag\n"
    ).encode(),
    "cp949.txt": "완성형으로 쓴 글이다.\n\n".encode("cp949") * 50,
    "utf16.md": ("# 제목\n\n" + "본문이다.\n\n" * 50).encode("utf-16"),
    "binary.txt": b"\0\1\2" * 500,
}


def prepare(
    root: Path,
    *,
    long_bytes: int,
    pack_long: Callable[[LongRecord], PackedDocument] | None = None,
    chunker: Chunker | None = None,
) -> list[Outcome]:
    processor = build_processor(IngestSettings(), analyzer=build_analyzer())

    def find_recipe(media_type: MediaType) -> Recipe | None:
        recipe = processor.find_recipe(media_type)
        return replace(recipe, chunker=chunker) if recipe and chunker else recipe

    preparer = FilePreparer(
        connector=FilesystemConnector(CodeIngestSettings()),
        processor=replace(processor, find_recipe=find_recipe),
        keep_asset=_keep,
        pack=pack_document,
        pack_long=pack_long or partial(pack_in_file, data_dir=root.parent / "data"),
        content=build_content_filter(CodeIngestSettings()),
        clock=SystemClock(),
        long_bytes=long_bytes,
    )
    return [prepared.outcome for prepared in preparer.prepare_all(tasks_of(root))]


def tasks_of(root: Path) -> Iterable[FileTask]:
    source = SourceSettings(id="default", root=str(root))  # type: ignore[arg-type]
    scan = FilesystemConnector(CodeIngestSettings()).scan(SourceScope(root=str(root)))
    for entry in scan:
        if isinstance(entry, SourceEntry):
            yield FileTask(entry=entry, source=source, known_checksum=None, at=START)


def _keep(asset: RawAsset, _content: bytes) -> RawAsset:
    return asset


def unpacked(outcome: Outcome) -> object:
    if not isinstance(outcome, PackedDocument):
        return outcome
    rows = outcome.rows
    batches = list(rows.batches)  # type: ignore[attr-defined]
    columns = [[row for batch in batches for row in batch[column]] for column in (1, 2)]
    parts = [part for batch in batches for part in batch.parts]
    passages = [one for part in parts for one in read_passages(part.chunks)]
    blocks = [block for part in parts for block in read_blocks(part.chunks, part.blocks)]
    facts = [getattr(outcome, name) for name in PackedDocument.__slots__ if name != "rows"]
    return facts, rows.asset, rows.document, rows.tags, columns, passages, blocks  # type: ignore[attr-defined]


def write_all(root: Path, contents: dict[str, bytes]) -> None:
    root.mkdir()
    for name, content in contents.items():
        (root / name).write_bytes(content)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


def left_over(root: Path) -> list[Path]:
    return [path for path in (root.parent / "data").rglob("*") if path.is_file()]


def test_a_long_document_gives_the_rows_that_it_gives_when_it_is_short(root: Path) -> None:
    write_all(root, CONTENTS)
    expected = [unpacked(outcome) for outcome in prepare(root, long_bytes=SHORT)]
    assert [unpacked(outcome) for outcome in prepare(root, long_bytes=LONG)] == expected


class ShoutingChunker(HeadingChunker):
    """A chunker of a plugin, by what is there."""

    def chunk(self, document: LongDocument, policy: ChunkPolicy) -> Iterator[Chunk]:
        for chunk in super().chunk(document, policy):
            yield chunk.model_copy(update={"text": chunk.text.upper()})


def test_a_chunker_that_extends_another_one_cuts_long_documents_too(root: Path) -> None:
    write_all(root, {"a.txt": b"quiet words\n\n" * 400})
    chunker = ShoutingChunker(TokenCounter())
    short, long = (prepare(root, long_bytes=size, chunker=chunker) for size in (SHORT, LONG))
    assert [*map(unpacked, long)] == [*map(unpacked, short)]
    assert "QUIET WORDS" in str(unpacked(long[0]))


def test_only_what_reads_the_rows_finds_the_file_and_discarding_takes_it(root: Path) -> None:
    write_all(root, {"a.txt": b"words\n\n" * 2000})
    (outcome,) = prepare(root, long_bytes=LONG)
    assert isinstance(outcome, PackedDocument)
    assert len(pickle.dumps(outcome)) < 10_000
    (file,) = left_over(root)
    assert file.stat().st_mode & 0o077 == 0
    outcome.rows.batches.discard()  # type: ignore[attr-defined]
    assert left_over(root) == []


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), MemoryError()])
def test_what_stops_the_writing_leaves_no_file_behind(root: Path, error: BaseException) -> None:
    write_all(root, {"a.txt": b"words\n\n" * 2000})

    def stop(record: LongRecord) -> PackedDocument:
        def parts() -> Iterable[object]:
            yield next(record.parts)
            raise error

        return pack_in_file(LongRecord(record.describe, parts()), data_dir=root.parent / "data")  # type: ignore[arg-type]

    (outcome,) = prepare(root, long_bytes=LONG, pack_long=stop)
    assert left_over(root) == []
    is_disk = isinstance(error, OSError)
    assert isinstance(outcome, StorageError) is is_disk
    assert ("No space left" if is_disk else "not enough memory") in outcome.message  # type: ignore[union-attr]


def test_rows_that_were_cut_short_are_not_stored_as_if_they_were_all(root: Path) -> None:
    write_all(root, {"a.txt": b"words\n\n" * 2000})
    (outcome,) = prepare(root, long_bytes=LONG)
    (file,) = left_over(root)
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(StorageError, match=r"a\.txt"):
        unpacked(outcome)

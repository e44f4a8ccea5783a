"""A derivation other than vectors: text recognised in pictures, over a store in memory, killed and resumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from kebab_core import (
    DocumentRecord,
    Heartbeat,
    ImageRefBlock,
    IngestEvent,
    LexicalQuery,
    ModelUnreachableError,
    OcrText,
    hash_canonical,
)
from kebab_ingest import (
    BatchProgress,
    BatchSizes,
    CachedModel,
    CancelToken,
    DerivationPass,
    DerivationSummary,
    Derived,
    EventStream,
)
from kebab_testing.fakes.lexical_index import InMemoryLexicalIndex
from kebab_testing.records import RecordSpec, build_record

if TYPE_CHECKING:
    from conftest import Pipeline

PICTURES = {"a.png": b"zebra", "b.png": b"melon", "c.png": b"zebra", "d.png": b"fig"}
"""What is written on each picture."""


class KilledError(BaseException):
    """The process ends here."""


def picture(path: str, content: bytes, *, ocr: OcrText | None = None) -> DocumentRecord:
    """Build the record of a picture, with the text that was recognised in it."""
    words = ocr.joined if ocr else "picture"
    record = build_record(RecordSpec(path=path, paragraphs=(words,), content=content))
    common = record.document.blocks[0].model_dump(include={"block_id", "heading_path", "source_span"})
    block = ImageRefBlock(**common, asset_id=record.asset.asset_id, src=path, ocr=ocr)
    return record.model_copy(update={"document": record.document.model_copy(update={"blocks": (block,)})})


@dataclass
class Engine:
    """Recognises text, and counts what it is asked about."""

    version: str = "1"
    fails: bool = False
    asked: list[bytes] = field(default_factory=list)

    def recognise(self, pictures: Sequence[bytes]) -> list[bytes]:
        if self.fails:
            raise ModelUnreachableError("gone")
        self.asked.extend(pictures)
        return list(pictures)


class Recognition:
    """Implements `Derivation`: a document whose picture has no text yet is replaced by one that has."""

    def __init__(self, pipeline: Pipeline, engine: Engine, *, killed_at: int | None = None) -> None:
        self._documents, self._clock, self._engine = pipeline.documents, pipeline.clock, engine
        self._contents = {str(record.asset.asset_id): PICTURES[path] for path, record in self._by_path()}
        self._left = killed_at
        self._model = CachedModel(
            kind="ocr",
            key_of=lambda record: hash_canonical({"engine": engine.version, "asset": record.asset.asset_id}),
            compute=lambda records: engine.recognise([self._contents[r.asset.asset_id] for r in records]),
            cache=pipeline.cache,
            clock=pipeline.clock,
        )

    def _by_path(self) -> list[tuple[str, DocumentRecord]]:
        return [(str(path), record) for (_, path), record in sorted(self._documents.records.items())]

    def pending(self, limit: int) -> list[DocumentRecord]:
        records = [record for _, record in self._by_path()]
        return [r for r in records if getattr(r.document.blocks[0], "ocr", None) is None][:limit]

    def answer(self, batch: Sequence[DocumentRecord]) -> Derived:
        return self._model.answer(batch)

    def store(self, batch: Sequence[DocumentRecord], payloads: Sequence[bytes]) -> None:
        for record, payload in zip(batch, payloads, strict=True):
            if self._left == 0:
                raise KilledError
            self._left = None if self._left is None else self._left - 1
            path = str(record.document.workspace_path)
            text = OcrText(joined=payload.decode(), engine="fake", engine_version=self._engine.version)
            self._documents.replace_document(picture(path, PICTURES[path], ocr=text))

    def event_of(self, progress: BatchProgress) -> IngestEvent:
        return Heartbeat(ts=self._clock.now(), phase="ocr", idx=progress.done, total=progress.total)


@pytest.fixture
def pictures(pipeline: Pipeline) -> Pipeline:
    """Pictures that are committed and whose text is not recognised yet."""
    for path, content in PICTURES.items():
        pipeline.documents.replace_document(picture(path, content))
    return pipeline


def derive(
    pipeline: Pipeline, recognition: Recognition, *, cancel: CancelToken | None = None
) -> DerivationSummary:
    one = DerivationPass(
        recognition,
        clock=pipeline.clock,
        events=EventStream(pipeline.events.append, clock=pipeline.clock),
        cancel=cancel or CancelToken(),
        sizes=BatchSizes(first=2, least=1, most=2),
    )
    one.run(count_pending=lambda: len(recognition.pending(100)))
    return one.summary


def paths_with(pipeline: Pipeline, word: str) -> list[str]:
    matches = InMemoryLexicalIndex(pipeline.documents).search(LexicalQuery(terms=(word,)), limit=9)
    chunks = pipeline.documents.get_chunks([match.chunk_id for match in matches])
    return sorted(str(chunk.document.doc_path) for chunk in chunks)


def test_every_picture_becomes_a_document_whose_text_is_found(pictures: Pipeline) -> None:
    engine = Engine()
    summary = derive(pictures, Recognition(pictures, engine))
    assert summary == DerivationSummary(computed=3, reused=1, failure=None)
    assert paths_with(pictures, "zebra") == ["a.png", "c.png"]
    assert paths_with(pictures, "picture") == []
    assert [(e.idx, e.total) for e in pictures.events if isinstance(e, Heartbeat)] == [
        (0, 4),
        (2, 4),
        (2, 4),
        (4, 4),
    ]
    assert derive(pictures, Recognition(pictures, engine)) == DerivationSummary(
        computed=0, reused=0, failure=None
    )


@pytest.mark.parametrize("killed_at", range(4))
def test_a_kill_at_any_document_costs_no_second_call_of_the_model(pictures: Pipeline, killed_at: int) -> None:
    engine = Engine()
    with pytest.raises(KilledError):
        derive(pictures, Recognition(pictures, engine, killed_at=killed_at))
    assert len(pictures.documents.records) == 4
    summary = derive(pictures, Recognition(pictures, engine))
    assert sorted(engine.asked) == [b"fig", b"melon", b"zebra"]
    assert summary.computed + summary.reused == 4 - killed_at
    assert paths_with(pictures, "fig") == ["d.png"]
    assert paths_with(pictures, "melon") == ["b.png"]


def test_another_version_of_the_model_is_asked_again(pictures: Pipeline) -> None:
    derive(pictures, Recognition(pictures, Engine()))
    for path, content in PICTURES.items():
        pictures.documents.replace_document(picture(path, content))
    engine = Engine(version="2")
    assert derive(pictures, Recognition(pictures, engine)).computed == 3


def test_a_cancel_ends_the_pass_after_the_batch_in_hand(pictures: Pipeline) -> None:
    cancel = CancelToken()

    class Cancelling(Engine):
        def recognise(self, pictures: Sequence[bytes]) -> list[bytes]:
            cancel.cancel()
            return super().recognise(pictures)

    recognition = Recognition(pictures, Cancelling())
    assert derive(pictures, recognition, cancel=cancel).computed == 2
    assert len(recognition.pending(100)) == 2


def test_a_model_that_fails_leaves_the_rest_pending_and_is_in_the_summary(pictures: Pipeline) -> None:
    recognition = Recognition(pictures, Engine(fails=True))
    summary = derive(pictures, recognition)
    assert isinstance(summary.failure, ModelUnreachableError)
    assert len(recognition.pending(100)) == 4

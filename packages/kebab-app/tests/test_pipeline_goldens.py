"""What becomes of a few realistic files from their bytes to their terms, kept as JSON under all labels at once.

`python packages/kebab-app/tests/test_pipeline_goldens.py` adds the dumps of labels that have none. It changes no dump
that is there: another outcome needs another label.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kebab_app.wiring import build_analyzer, build_processor
from kebab_core import (
    ChunkPolicy,
    DocumentRecord,
    FileStamp,
    IngestSettings,
    MarkdownMedia,
    MediaType,
    SourceFile,
    SourceSettings,
    TextMedia,
    TokenCounter,
)
from kebab_ingest import DocumentProcessor
from kebab_testing.documents import EPOCH, make_asset
from kebab_testing.tables import walk

PIPELINE = Path(__file__).parents[3] / "tests" / "goldens" / "pipeline"
MEDIA: dict[str, MediaType] = {".md": MarkdownMedia(), ".txt": TextMedia()}
INPUTS = sorted((PIPELINE / "inputs").glob("[!.]*"))
WRITE = "python packages/kebab-app/tests/test_pipeline_goldens.py"
STEPS = ("document", "tokens", "chunks", "terms")
"""In order: what comes later may differ because of what comes before."""


@pytest.fixture(scope="module")
def processor() -> DocumentProcessor:
    return _build_processor()


@walk("source", INPUTS)
def test_labels_that_have_been_used_still_give_the_same(source: Path, processor: DocumentProcessor) -> None:
    record = _process(processor, source)
    path = _path_of(record, source)
    assert path.exists(), f"a new label: add its dumps with `{WRITE}`"
    kept, now = json.loads(path.read_text("utf-8")), _dump(record)
    changed = next((step for step in STEPS if kept[step] != now[step]), None)
    assert changed is None, (
        f"the {changed} of {source.name} are not what they were. Give {_labels(record)[changed]!r} its next label and "
        f"run `{WRITE}`; delete a dump only if no index was ever made with its labels"
    )
    assert kept == now


def test_every_dump_is_of_an_input() -> None:
    assert {path.stem for path in PIPELINE.glob("*+*/*.json")} == {path.name for path in INPUTS}


def test_the_inputs_are_cut_and_told_apart(processor: DocumentProcessor) -> None:
    records = [_process(processor, source) for source in INPUTS]
    assert {record.document.lang for record in records} == {"ko", "en"}
    assert any(
        len(record.chunks) > len({chunk.heading_path for chunk in record.chunks}) for record in records
    )


def write_missing_dumps() -> None:
    """Write the dumps that are missing."""
    processor = _build_processor()
    for source in INPUTS:
        record = _process(processor, source)
        path = _path_of(record, source)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(_dump(record), ensure_ascii=False, indent=1) + "\n", "utf-8")


def _build_processor() -> DocumentProcessor:
    return build_processor(IngestSettings(), analyzer=build_analyzer())


def _process(processor: DocumentProcessor, source: Path) -> DocumentRecord:
    content = source.read_bytes()
    file = SourceFile(
        asset=make_asset(content, path=f"goldens/{source.name}", media_type=MEDIA[source.suffix]),
        content=content,
        stamp=FileStamp(byte_len=len(content), mtime_ns=1_700_000_000_000_000_000, inode=1, ctime_ns=1),
    )
    settings = SourceSettings(id="default", root="/goldens")
    return processor.process(file, source=settings, disk_path=f"/goldens/{source.name}", now=EPOCH)


def _labels(record: DocumentRecord) -> dict[str, str]:
    """Return which label answers for each step."""
    return {
        "document": record.document.parser_version,
        "tokens": TokenCounter().label,
        "chunks": record.chunker_version,
        "terms": record.analyzer_version,
    }


def _path_of(record: DocumentRecord, source: Path) -> Path:
    policy = ChunkPolicy(**IngestSettings().chunking.model_dump(), token_counter=TokenCounter().label)
    sizes = f"{policy.target_tokens}-{policy.max_tokens}-{policy.overlap_tokens}"
    labels = _labels(record)
    return PIPELINE / "+".join((*(labels[step] for step in STEPS), sizes)) / f"{source.name}.json"


def _dump(record: DocumentRecord) -> dict[str, Any]:
    return {
        "document": record.document.model_dump(mode="json", exclude={"provenance"}),
        "tokens": list(_count_lines(record)),
        "chunks": [chunk.model_dump(mode="json") for chunk in record.chunks],
        "terms": [terms.model_dump(mode="json") for terms in record.terms],
    }


def _count_lines(record: DocumentRecord) -> Iterator[int]:
    counter = TokenCounter()
    text = (PIPELINE / "inputs" / record.document.workspace_path.name).read_text("utf-8")
    return (counter.count(line) for line in text.splitlines())


if __name__ == "__main__":
    write_missing_dumps()

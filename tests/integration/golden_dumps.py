"""What parsers and chunkers make of small fixed files, kept as JSON under the label that made it.

A label says: these bytes are read, or cut, in this way. `python -m tests.integration.golden_dumps` adds the dumps of
labels that have none. It changes no dump that is there: another outcome needs another label.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from kebab_chunk import CHUNKER_VERSIONS, build_chunker
from kebab_core import CanonicalDocument, Extractor, MarkdownMedia, TextMedia
from kebab_parse_md import MarkdownExtractor, TextExtractor
from kebab_testing.documents import make_context, make_policy
from kebab_testing.fakes.counter import WordCounter
from kebab_testing.fakes.detector import HangulDetector

GOLDENS = Path(__file__).parent.parent / "goldens"
EXTRACTORS: dict[str, Extractor] = {
    ".md": MarkdownExtractor(HangulDetector()),
    ".txt": TextExtractor(HangulDetector()),
}
POLICY = make_policy(target_tokens=30, max_tokens=40, overlap_tokens=10)


def make_dumps() -> Iterator[tuple[Path, str]]:
    """Yield where each dump belongs and what it is now.

    Chunkers cut the dumped documents of every parser label there ever was, so that theirs do not depend on the
    parsers of today.

    Yields:
        Path and text of one dump, documents before chunks.
    """
    for source in sorted((GOLDENS / "parse" / "inputs").glob("[!.]*")):
        extractor = EXTRACTORS[source.suffix]
        name = f"{source.name}.json"
        yield GOLDENS / "parse" / extractor.parser_version() / name, _dump(_extract(extractor, source))
    for version in CHUNKER_VERSIONS:
        chunker = build_chunker(version, WordCounter())
        for dumped in sorted((GOLDENS / "parse").glob("*-v*/*.json")):
            document = CanonicalDocument.model_validate_json(dumped.read_text("utf-8"))
            chunks = [chunk.model_dump(mode="json") for chunk in chunker.chunk(document, POLICY)]
            yield GOLDENS / "chunk" / version / dumped.parent.name / dumped.name, _dump(chunks)


def main() -> None:
    """Write the dumps that are missing."""
    for path, text in make_dumps():
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")


def _extract(extractor: Extractor, source: Path) -> object:
    content = source.read_bytes()
    media_type = MarkdownMedia() if source.suffix == ".md" else TextMedia()
    context = make_context(content, path=f"goldens/{source.name}", media_type=media_type)
    return extractor.extract(context, content).model_dump(mode="json")


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    main()

from pathlib import Path

import pytest
from kebab_chunk import CHUNKER_VERSIONS

from tests.integration.golden_dumps import EXTRACTORS, GOLDENS, make_dumps

DUMPS = {path.relative_to(GOLDENS).as_posix(): (path, text) for path, text in make_dumps()}


@pytest.mark.parametrize(("path", "text"), DUMPS.values(), ids=DUMPS.keys())
def test_a_label_that_has_been_used_still_means_the_same(path: Path, text: str) -> None:
    assert path.exists(), "a new label: add its dumps with `python -m tests.integration.golden_dumps`"
    kept = path.read_text("utf-8")
    assert kept == text, (
        f"{path.parent.name} gives another result for {path.stem}. Give the parser or chunker its next label and "
        "run `python -m tests.integration.golden_dumps`; delete a dump only if no index was ever made with its label"
    )


def test_every_label_of_today_has_dumps() -> None:
    parsers = {str(extractor.parser_version()) for extractor, _ in EXTRACTORS}
    assert {name.split("/")[1] for name in DUMPS} == parsers | set(CHUNKER_VERSIONS)

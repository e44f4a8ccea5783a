from collections.abc import Mapping
from pathlib import Path

import pytest
from kebab_chunk import CHUNKER_VERSIONS

from tests.integration.golden_dumps import EXTRACTORS, GOLDENS, make_dumps


@pytest.fixture(scope="module")
def dumps() -> Mapping[Path, str]:
    return dict(make_dumps())


def test_a_label_that_has_been_used_still_means_the_same(dumps: Mapping[Path, str]) -> None:
    for path, text in dumps.items():
        assert path.exists(), "a new label: add its dumps with `python -m tests.integration.golden_dumps`"
        kept = path.read_text("utf-8")
        assert kept == text, (
            f"{path.parent.name} gives another result for {path.stem}. Give the parser or chunker its next label and "
            "run `python -m tests.integration.golden_dumps`; delete a dump only if no index was ever made with its label"
        )


def test_every_label_of_today_has_dumps(dumps: Mapping[Path, str]) -> None:
    parsers = {str(extractor.parser_version()) for extractor, _ in EXTRACTORS}
    labels = {path.relative_to(GOLDENS).parts[1] for path in dumps}
    assert labels == parsers | set(CHUNKER_VERSIONS)

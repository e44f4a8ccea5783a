"""What a document of a test set becomes: its title is the title, its text is the text."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_core import CanonicalDocument, CodeIngestSettings, ExtractContext, InvalidInputError, SourceScope
from kebab_eval import Passage, PassageExtractor, read_passage_id, write_passages
from kebab_parse_md import TextExtractor
from kebab_source_fs import FilesystemConnector
from kebab_testing.families import examples

AT = datetime(2026, 1, 2, tzinfo=UTC)


def ingest(folder: Path) -> dict[str, CanonicalDocument]:
    """Read every file as an ingest does, by the id that it carries."""
    connector, extractor = (
        FilesystemConnector(CodeIngestSettings()),
        PassageExtractor(TextExtractor()),
    )
    documents = {}
    for entry in connector.scan(SourceScope(root=str(folder))):
        file = connector.read(entry, discovered_at=AT)
        context = ExtractContext(asset=file.asset, file_created_at=AT, file_modified_at=AT, extracted_at=AT)
        documents[read_passage_id(folder / file.asset.workspace_path)] = extractor.extract(
            context, file.content
        )
    return documents


def text_of(document: CanonicalDocument) -> str:
    return "\n\n".join(block.text for block in document.blocks)


def test_marks_of_markdown_mean_nothing(tmp_path: Path) -> None:
    text = '# def __init__(self):\n    """*doc*"""\n\n    return _x_'
    list(write_passages([Passage("code", "Title", text)], tmp_path))
    document = ingest(tmp_path)["code"]
    assert (document.title, text_of(document)) == ("Title", text)


def test_a_document_without_title_is_titled_by_its_first_line(tmp_path: Path) -> None:
    list(write_passages([Passage("a", " ", "first line\nsecond")], tmp_path))
    assert ingest(tmp_path)["a"].title == "first line"


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    list(write_passages([Passage("a", "t", "one\n\ntwo")], tmp_path))
    spans = [block.source_span for block in ingest(tmp_path)["a"].blocks]
    assert [(span.start, span.end) for span in spans] == [(2, 2), (4, 4)]


@pytest.mark.thorough
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(
    passages=st.lists(
        st.builds(
            Passage, doc_id=st.text(min_size=1), title=st.text(), text=st.text(alphabet="가나 ab#*_`\n")
        ),
        max_size=4,
        unique_by=lambda passage: passage.doc_id,
    )
)
def test_any_id_comes_back_from_the_file_of_its_document(
    passages: list[Passage], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("set")
    assert list(write_passages(passages, folder)) == [passage.doc_id for passage in passages]
    documents = ingest(folder)
    assert documents.keys() == {passage.doc_id for passage in passages}
    for passage in passages:
        said = [line.rstrip() for line in passage.text.split("\n") if line.strip()]
        assert [line for line in text_of(documents[passage.doc_id]).split("\n") if line] == said


def test_two_different_documents_of_one_id_are_an_error(tmp_path: Path) -> None:
    same, other = Passage("a", "t", "x"), Passage("a", "t", "y")
    assert len(list(write_passages([same, same], tmp_path))) == 2
    with pytest.raises(InvalidInputError):
        list(write_passages([other], tmp_path))

"""What is said of one thing does not answer a question about another, however many words the two share."""

from collections.abc import Iterable

from kebab_analysis import KoreanEnglishAnalyzer
from kebab_extractive import ExtractiveReader
from kebab_testing.passages import build_passage, first_quote
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.temporary_stores import TemporaryStores

from tests.integration.contrast_pairs import CONTRASTS

ANALYZER = KoreanEnglishAnalyzer()


def answer(question: str, *texts: str) -> str:
    stores = TemporaryStores()
    store = stores.documents
    terms = [ANALYZER.analyze_chunk(title="", heading_path=(), text=text) for text in texts]
    store.replace_document(build_record(RecordSpec(paragraphs=texts, terms=terms)))
    model = ExtractiveReader(analyzer=ANALYZER, index=stores.index)
    passages = [build_passage(text, marker=marker) for marker, text in enumerate(texts, start=1)]
    return first_quote(model, question, *passages)


def share(held: Iterable[bool]) -> float:
    found = list(held)
    return sum(found) / len(found)


def test_sentence_about_what_is_asked_comes_before_the_one_about_the_other() -> None:
    """Of 44 pairs; the words of the question are the same but for the thing that is asked about."""
    first = (answer(pair.question, pair.wrong, pair.remark, pair.right) for pair in CONTRASTS)
    assert share(said.startswith(pair.right) for pair, said in zip(CONTRASTS, first, strict=True)) >= 0.9

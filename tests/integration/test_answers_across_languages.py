"""Questions in one language to notes in the other, with the model that is installed with kebab."""

from __future__ import annotations

from pathlib import Path

import pytest
from kebab_analysis import KoreanEnglishAnalyzer
from kebab_app import App, AskRequest
from kebab_config import load_settings
from kebab_core import Embedder, EmbeddingSettings, RetrievalDone
from kebab_embed_local import build_embedder
from kebab_extractive import ExtractiveReader
from kebab_model_e5_small import files
from kebab_testing.passages import build_passage, is_answer, read_aloud
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

if files() is None:
    pytest.skip("the model was built without weights", allow_module_level=True)

ANALYZER = KoreanEnglishAnalyzer()
ENGLISH = (
    "The office moved to Busan in March 2021. Coffee is bought by the design team. "
    "Backups run every night at 2 a.m. and are kept for thirty days."
)
KOREAN = "사무실은 2021년 3월에 부산으로 옮겼다. 커피는 디자인 팀이 산다. 백업은 매일 밤 두 시에 돌고 30일 동안 보관한다."

NOTES = {"en": ENGLISH, "ko": KOREAN}


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    built = build_embedder(EmbeddingSettings(provider="bundled"), models_dir=Path("models"), bundled=files())
    assert built is not None
    return built


def answer(question: str, *, lang: str, embedder: Embedder | None) -> str:
    text = NOTES[lang]
    stores = TemporaryStores()
    store = stores.documents
    terms = [ANALYZER.analyze_chunk(title="", heading_path=(), text=text)]
    store.replace_document(build_record(RecordSpec(paragraphs=(text,), terms=terms)))
    model = ExtractiveReader(analyzer=ANALYZER, index=stores.index, embedder=embedder)
    return read_aloud(model, question, build_passage(text, lang=lang))


@walk(
    ("question", "lang", "quoted"),
    [
        ("사무실은 언제 부산으로 이사했나요?", "en", "The office moved to Busan in March 2021."),
        ("커피는 어느 팀이 사나요?", "en", "Coffee is bought by the design team."),
        ("When did the office move to Busan?", "ko", "사무실은 2021년 3월에 부산으로 옮겼다."),
        ("Which team buys the coffee?", "ko", "커피는 디자인 팀이 산다."),
    ],
)
def test_sentence_in_the_other_language_is_quoted(
    question: str, lang: str, quoted: str, embedder: Embedder
) -> None:
    assert quoted in answer(question, lang=lang, embedder=embedder)


@walk(
    ("question", "lang"),
    [
        ("할머니의 생신은 며칠인가요?", "en"),
        ("토성의 고리는 무엇으로 이루어져 있나요?", "en"),
        ("Who painted Guernica?", "ko"),
        ("How do plants make sugar from light?", "ko"),
    ],
)
def test_question_about_something_else_has_no_answer(question: str, lang: str, embedder: Embedder) -> None:
    assert not is_answer(answer(question, lang=lang, embedder=embedder))


def test_four_pages_in_the_other_language_are_read_beside_ten_hits(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(12):
        note = f"# Boiler visit {number}\n\nThe new boiler of flat {number} was cleaned, and its cost was talked about.\n"
        (notes / f"visit {number}.md").write_text(note, encoding="utf-8")
    for subject in ("견적", "점검", "보증", "설치"):
        page = f"# 보일러 {subject}\n\n보일러 {subject} 이야기를 적는다. 새 보일러는 820만 원이다.\n"
        (notes / f"{subject}.md").write_text(page, encoding="utf-8")
    config = tmp_path / "kebab.toml"
    config.write_text(
        'schema_version = 1\n[storage]\ndata_dir = "data"\n[[workspace.sources]]\nid = "notes"\nroot = "notes"\n',
        encoding="utf-8",
    )
    with App(load_settings(config_path=config, environ={"HOME": str(tmp_path)})) as app:
        app.ingest()
        events = list(app.ask_stream(AskRequest(question="What does a new boiler cost?")))
    (found,) = (event for event in events if isinstance(event, RetrievalDone))
    paths = [str(hit.doc_path) for hit in found.hits]
    assert {"견적.md", "점검.md", "보증.md", "설치.md"} <= set(paths)
    assert [hit.rank for hit in found.hits] == list(range(1, len(paths) + 1))

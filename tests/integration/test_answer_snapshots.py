"""Whole answers, as the facade gives them and as the wire carries them: Korean and English, grounded and refused.

Times stand still. Scores are 1: what they are exactly is the search's.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kebab_app import App, AskRequest
from kebab_config import load_settings
from kebab_core import Answer, AnswerFinal, Coverage, RetrievalDone, SearchMode
from kebab_testing.fakes.clock import FixedClock
from kebab_wire import wire_answer, wire_json

NOTES = {
    "노트/색인.md": "# 색인\n\n색인은 파일이 바뀌면 다시 만들어진다.\n\n## 예\n\n`vec![1]`은 목록이다.\n",
    "guides/rollback.md": "# Rollback\n\nRolling back takes one command and five minutes.\n",
}
KOREAN, ENGLISH = "색인은 언제 다시 만들어지나요?", "how long does rolling back take?"
UNANSWERED = "who approved rolling back the release?"
UNKNOWN = "할머니의 생신은 며칠인가요?"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    for path, text in NOTES.items():
        note = home / "notes" / path
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(text, encoding="utf-8")
    config = (
        '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n[models.embedding]\nprovider = "none"\n'
    )
    (home / "kebab.toml").write_text(config, encoding="utf-8")
    with open_app(home) as app:
        app.ingest()
    return home


def open_app(home: Path) -> App:
    environ = {"HOME": str(home)}
    return App(load_settings(config_path=home / "kebab.toml", environ=environ), clock=FixedClock())


def ask(home: Path, question: str) -> tuple[Answer, Coverage | None]:
    with open_app(home) as app:
        first, *_, last = app.ask_stream(AskRequest(question=question, mode=SearchMode.LEXICAL))
    assert isinstance(first, RetrievalDone)
    assert isinstance(last, AnswerFinal)
    return with_plain_scores(last.answer), first.coverage


def with_plain_scores(answer: Answer) -> Answer:
    cited = [each.model_copy(update={"score": 1.0}) for each in answer.citations]
    retrieval = answer.retrieval.model_copy(update={"top_score": 1.0})
    return answer.model_copy(update={"citations": tuple(cited), "retrieval": retrieval})


def domain(home: Path, question: str) -> object:
    return ask(home, question)[0].model_dump(mode="json", exclude={"claims", "review"})


def wire(home: Path, question: str) -> object:
    answer, coverage = ask(home, question)
    printed = json.loads(wire_json(wire_answer(answer, coverage=coverage)))
    return {name: value for name, value in printed.items() if name != "claims"}


def test_a_grounded_korean_answer(home: Path) -> None:
    assert domain(home, KOREAN) == {
        "answer": "색인은 파일이 바뀌면 다시 만들어진다. [1]",
        "markers": [{"number": 1, "start": 22, "end": 25}],
        "citations": [
            {
                "marker": "[1]",
                "citation": {
                    "path": "노트/색인.md",
                    "source_id": "default",
                    "kind": "line",
                    "start": 3,
                    "end": 3,
                    "section": "색인",
                },
                "passage": {
                    "path": "노트/색인.md",
                    "source_id": "default",
                    "kind": "line",
                    "start": 1,
                    "end": 3,
                    "section": "색인",
                },
                "stated_on": None,
                "indexed_at": "2026-01-02T03:04:05Z",
                "stale": False,
                "score": 1.0,
                "items_left_out": None,
            }
        ],
        "grounded": True,
        "refusal_reason": None,
        "model": {"id": "extractive", "provider": "extractive", "dimensions": None},
        "embedding": None,
        "prompt_template_version": "rag-v3",
        "retrieval": {
            "trace_id": "ret_a64538a5a5b3dcb3",
            "mode": "lexical",
            "k": 10,
            "score_gate": 0.0,
            "top_score": 1.0,
            "chunks_returned": 2,
            "chunks_used": 2,
            "question": None,
        },
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "latency_ms": 0},
        "created_at": "2026-01-02T03:04:05Z",
        "conversation_id": None,
        "turn_index": None,
        "hops": None,
        "verification": None,
    }


def test_a_grounded_korean_answer_on_the_wire(home: Path) -> None:
    assert wire(home, KOREAN) == {
        "schema_version": "answer.v1",
        "answer": "색인은 파일이 바뀌면 다시 만들어진다. [1]",
        "markers": [{"number": 1, "start": 22, "end": 25}],
        "citations": [
            {
                "marker": "[1]",
                "citation": {
                    "schema_version": "citation.v1",
                    "path": "노트/색인.md",
                    "source_id": "default",
                    "uri": "%EB%85%B8%ED%8A%B8/%EC%83%89%EC%9D%B8.md#L3",
                    "address": "노트/색인.md#L3",
                    "kind": "line",
                    "start": 3,
                    "end": 3,
                    "section": "색인",
                },
                "passage": {
                    "schema_version": "citation.v1",
                    "path": "노트/색인.md",
                    "source_id": "default",
                    "uri": "%EB%85%B8%ED%8A%B8/%EC%83%89%EC%9D%B8.md#L1-L3",
                    "address": "노트/색인.md#L1-L3",
                    "kind": "line",
                    "start": 1,
                    "end": 3,
                    "section": "색인",
                },
                "indexed_at": "2026-01-02T03:04:05Z",
                "stale": False,
                "score": 1.0,
            }
        ],
        "grounded": True,
        "refusal_reason": None,
        "model": {"id": "extractive", "provider": "extractive"},
        "prompt_template_version": "rag-v3",
        "retrieval": {
            "trace_id": "ret_a64538a5a5b3dcb3",
            "mode": "lexical",
            "k": 10,
            "score_gate": 0.0,
            "top_score": 1.0,
            "chunks_returned": 2,
            "chunks_used": 2,
        },
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "latency_ms": 0},
        "created_at": "2026-01-02T03:04:05Z",
        "persisted": True,
        "coverage": {
            "documents_indexed": 2,
            "documents_searched": 2,
            "documents_pending": 0,
            "documents_failed": 0,
            "documents_stale": 0,
            "documents_held": 0,
            "legs": ["lexical"],
            "missing_legs": [],
            "ingest_running": False,
            "ingest_interrupted": False,
        },
    }


def test_a_grounded_english_answer(home: Path) -> None:
    assert domain(home, ENGLISH) == {
        "answer": "Rolling back takes one command and five minutes. [1]",
        "markers": [{"number": 1, "start": 49, "end": 52}],
        "citations": [
            {
                "marker": "[1]",
                "citation": {
                    "path": "guides/rollback.md",
                    "source_id": "default",
                    "kind": "line",
                    "start": 3,
                    "end": 3,
                    "section": "Rollback",
                },
                "passage": {
                    "path": "guides/rollback.md",
                    "source_id": "default",
                    "kind": "line",
                    "start": 1,
                    "end": 3,
                    "section": "Rollback",
                },
                "stated_on": None,
                "indexed_at": "2026-01-02T03:04:05Z",
                "stale": False,
                "score": 1.0,
                "items_left_out": None,
            }
        ],
        "grounded": True,
        "refusal_reason": None,
        "model": {"id": "extractive", "provider": "extractive", "dimensions": None},
        "embedding": None,
        "prompt_template_version": "rag-v3",
        "retrieval": {
            "trace_id": "ret_56853f2bf73f7e36",
            "mode": "lexical",
            "k": 10,
            "score_gate": 0.0,
            "top_score": 1.0,
            "chunks_returned": 1,
            "chunks_used": 1,
            "question": None,
        },
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "latency_ms": 0},
        "created_at": "2026-01-02T03:04:05Z",
        "conversation_id": None,
        "turn_index": None,
        "hops": None,
        "verification": None,
    }


def test_a_grounded_english_answer_on_the_wire(home: Path) -> None:
    assert wire(home, ENGLISH) == {
        "schema_version": "answer.v1",
        "answer": "Rolling back takes one command and five minutes. [1]",
        "markers": [{"number": 1, "start": 49, "end": 52}],
        "citations": [
            {
                "marker": "[1]",
                "citation": {
                    "schema_version": "citation.v1",
                    "path": "guides/rollback.md",
                    "source_id": "default",
                    "uri": "guides/rollback.md#L3",
                    "address": "guides/rollback.md#L3",
                    "kind": "line",
                    "start": 3,
                    "end": 3,
                    "section": "Rollback",
                },
                "passage": {
                    "schema_version": "citation.v1",
                    "path": "guides/rollback.md",
                    "source_id": "default",
                    "uri": "guides/rollback.md#L1-L3",
                    "address": "guides/rollback.md#L1-L3",
                    "kind": "line",
                    "start": 1,
                    "end": 3,
                    "section": "Rollback",
                },
                "indexed_at": "2026-01-02T03:04:05Z",
                "stale": False,
                "score": 1.0,
            }
        ],
        "grounded": True,
        "refusal_reason": None,
        "model": {"id": "extractive", "provider": "extractive"},
        "prompt_template_version": "rag-v3",
        "retrieval": {
            "trace_id": "ret_56853f2bf73f7e36",
            "mode": "lexical",
            "k": 10,
            "score_gate": 0.0,
            "top_score": 1.0,
            "chunks_returned": 1,
            "chunks_used": 1,
        },
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "latency_ms": 0},
        "created_at": "2026-01-02T03:04:05Z",
        "persisted": True,
        "coverage": {
            "documents_indexed": 2,
            "documents_searched": 2,
            "documents_pending": 0,
            "documents_failed": 0,
            "documents_stale": 0,
            "documents_held": 0,
            "legs": ["lexical"],
            "missing_legs": [],
            "ingest_running": False,
            "ingest_interrupted": False,
        },
    }


def test_a_korean_refusal(home: Path) -> None:
    assert domain(home, UNKNOWN) == {
        "answer": "근거 부족: 지식 베이스에 질문과 일치하는 내용이 없습니다.",
        "markers": [],
        "citations": [],
        "grounded": False,
        "refusal_reason": "no_chunks",
        "model": {"id": "extractive", "provider": "extractive", "dimensions": None},
        "embedding": None,
        "prompt_template_version": "rag-v3",
        "retrieval": {
            "trace_id": "ret_b1b99f1983f59071",
            "mode": "lexical",
            "k": 10,
            "score_gate": 0.0,
            "top_score": 1.0,
            "chunks_returned": 0,
            "chunks_used": 0,
            "question": None,
        },
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "latency_ms": 0},
        "created_at": "2026-01-02T03:04:05Z",
        "conversation_id": None,
        "turn_index": None,
        "hops": None,
        "verification": None,
    }


def test_a_korean_refusal_on_the_wire(home: Path) -> None:
    assert wire(home, UNKNOWN) == {
        "schema_version": "answer.v1",
        "answer": "근거 부족: 지식 베이스에 질문과 일치하는 내용이 없습니다.",
        "markers": [],
        "citations": [],
        "grounded": False,
        "refusal_reason": "no_chunks",
        "model": {"id": "extractive", "provider": "extractive"},
        "prompt_template_version": "rag-v3",
        "retrieval": {
            "trace_id": "ret_b1b99f1983f59071",
            "mode": "lexical",
            "k": 10,
            "score_gate": 0.0,
            "top_score": 1.0,
            "chunks_returned": 0,
            "chunks_used": 0,
        },
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "latency_ms": 0},
        "created_at": "2026-01-02T03:04:05Z",
        "persisted": True,
        "coverage": {
            "documents_indexed": 2,
            "documents_searched": 2,
            "documents_pending": 0,
            "documents_failed": 0,
            "documents_stale": 0,
            "documents_held": 0,
            "legs": ["lexical"],
            "missing_legs": [],
            "ingest_running": False,
            "ingest_interrupted": False,
        },
    }


def test_an_english_answer_that_is_not_sure(home: Path) -> None:
    assert domain(home, UNANSWERED) == {
        "answer": """\
Not sure – this comes nearest:
Rolling back takes one command and five minutes. [1]\
""",
        "markers": [{"number": 1, "start": 80, "end": 83}],
        "citations": [
            {
                "marker": "[1]",
                "citation": {
                    "path": "guides/rollback.md",
                    "source_id": "default",
                    "kind": "line",
                    "start": 3,
                    "end": 3,
                    "section": "Rollback",
                },
                "passage": {
                    "path": "guides/rollback.md",
                    "source_id": "default",
                    "kind": "line",
                    "start": 1,
                    "end": 3,
                    "section": "Rollback",
                },
                "stated_on": None,
                "indexed_at": "2026-01-02T03:04:05Z",
                "stale": False,
                "score": 1.0,
                "items_left_out": None,
            }
        ],
        "grounded": False,
        "refusal_reason": "weak_support",
        "model": {"id": "extractive", "provider": "extractive", "dimensions": None},
        "embedding": None,
        "prompt_template_version": "rag-v3",
        "retrieval": {
            "trace_id": "ret_e5f905cf0ebd1c5b",
            "mode": "lexical",
            "k": 10,
            "score_gate": 0.0,
            "top_score": 1.0,
            "chunks_returned": 1,
            "chunks_used": 1,
            "question": None,
        },
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "latency_ms": 0},
        "created_at": "2026-01-02T03:04:05Z",
        "conversation_id": None,
        "turn_index": None,
        "hops": None,
        "verification": None,
    }


def test_an_english_answer_that_is_not_sure_on_the_wire(home: Path) -> None:
    assert wire(home, UNANSWERED) == {
        "schema_version": "answer.v1",
        "answer": """\
Not sure – this comes nearest:
Rolling back takes one command and five minutes. [1]\
""",
        "markers": [{"number": 1, "start": 80, "end": 83}],
        "citations": [
            {
                "marker": "[1]",
                "citation": {
                    "schema_version": "citation.v1",
                    "path": "guides/rollback.md",
                    "source_id": "default",
                    "uri": "guides/rollback.md#L3",
                    "address": "guides/rollback.md#L3",
                    "kind": "line",
                    "start": 3,
                    "end": 3,
                    "section": "Rollback",
                },
                "passage": {
                    "schema_version": "citation.v1",
                    "path": "guides/rollback.md",
                    "source_id": "default",
                    "uri": "guides/rollback.md#L1-L3",
                    "address": "guides/rollback.md#L1-L3",
                    "kind": "line",
                    "start": 1,
                    "end": 3,
                    "section": "Rollback",
                },
                "indexed_at": "2026-01-02T03:04:05Z",
                "stale": False,
                "score": 1.0,
            }
        ],
        "grounded": False,
        "refusal_reason": "weak_support",
        "model": {"id": "extractive", "provider": "extractive"},
        "prompt_template_version": "rag-v3",
        "retrieval": {
            "trace_id": "ret_e5f905cf0ebd1c5b",
            "mode": "lexical",
            "k": 10,
            "score_gate": 0.0,
            "top_score": 1.0,
            "chunks_returned": 1,
            "chunks_used": 1,
        },
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "latency_ms": 0},
        "created_at": "2026-01-02T03:04:05Z",
        "persisted": True,
        "coverage": {
            "documents_indexed": 2,
            "documents_searched": 2,
            "documents_pending": 0,
            "documents_failed": 0,
            "documents_stale": 0,
            "documents_held": 0,
            "legs": ["lexical"],
            "missing_legs": [],
            "ingest_running": False,
            "ingest_interrupted": False,
        },
    }

from typing import Any

import pytest
from kebab_core import ChatMessage, ContextOverflowError, RagSettings, SearchMode, SearchQuery
from kebab_rag import AskRequest
from kebab_rag.passages import pack_passages, render_evidence
from kebab_rag.prompts import Prompt, limit_answer, plan_evidence
from kebab_testing.fakes.counter import WordCounter
from kebab_testing.fakes.language_model import ScriptedModel

LONG = {f"{name}.md": f"asked {'about it ' * count}words" for name, count in (("a", 50), ("b", 5), ("c", 50))}


def packed(parts: Any, *, budget: int) -> list[tuple[int, str]]:
    hits = parts.pipeline.retriever.search(SearchQuery(text="asked words", mode=SearchMode.HYBRID)).hits
    chunks = parts.store.get_chunks([hit.chunk_id for hit in reversed(hits)])
    found = pack_passages(hits, chunks, budget=budget, counter=WordCounter())
    used = WordCounter().count(render_evidence(each.passage for each in found))
    assert used <= budget
    return [(each.passage.marker, str(each.passage.citation.path)) for each in found]


def test_packing_keeps_rank_order_and_stops_at_the_first_that_does_not_fit(bench: Any) -> None:
    parts = bench(ScriptedModel(), texts=LONG)
    assert packed(parts, budget=500) == [(1, "a.md"), (2, "b.md"), (3, "c.md")]
    assert packed(parts, budget=150) == [(1, "a.md"), (2, "b.md")]
    assert packed(parts, budget=115) == [(1, "a.md")]


def test_first_passage_is_cut_rather_than_left_out(bench: Any) -> None:
    assert packed(bench(ScriptedModel(), texts=LONG), budget=20) == [(1, "a.md")]


def test_budget_without_room_for_a_word_overflows(bench: Any) -> None:
    with pytest.raises(ContextOverflowError):
        packed(bench(ScriptedModel(), texts=LONG), budget=2)


def test_prompt_of_a_pipeline_never_passes_the_window_of_its_model(bench: Any) -> None:
    for window in (450, 600, 1000, 100_000):
        model = ScriptedModel(["x [#1]"], context_tokens=window)
        bench(model, texts=LONG).pipeline.ask(AskRequest(question="asked words"))
        (request,) = model.requests
        count = WordCounter().count
        assert sum(count(each.text) for each in request.messages) + request.max_tokens <= window


def test_configured_limit_holds_below_the_window(bench: Any) -> None:
    texts = {f"{number}.md": "asked " + "words " * 100 for number in range(9)}
    model = ScriptedModel(["x [#1]"], context_tokens=100_000)
    answer = bench(model, texts=texts, settings=RagSettings(max_context_tokens=350)).pipeline.ask(
        AskRequest(question="asked words")
    )
    assert answer.retrieval.chunks_returned == 9
    assert answer.retrieval.chunks_used == 3


def test_passages_of_chunks_that_are_gone_are_passed_over(bench: Any) -> None:
    parts = bench(ScriptedModel(), texts=LONG)
    hits = parts.pipeline.retriever.search(SearchQuery(text="asked words")).hits
    chunks = parts.store.get_chunks([hit.chunk_id for hit in hits[1:]])
    found = pack_passages(hits, chunks, budget=500, counter=WordCounter())
    assert [(each.passage.marker, each.hit.rank) for each in found] == [(1, 2), (2, 3)]


def test_answer_gets_what_the_prompt_leaves_and_no_more_than_is_ever_needed() -> None:
    frame = Prompt(
        (ChatMessage(role="system", text="one two"), ChatMessage(role="user", text="three")), stop=()
    )
    counter = WordCounter()
    assert plan_evidence(frame, window=1000, max_context_tokens=8000, counter=counter) == 1000 - 3 - 256
    assert plan_evidence(frame, window=100_000, max_context_tokens=8000, counter=counter) == 8000
    assert limit_answer(frame, window=103, counter=counter) == 100
    assert limit_answer(frame, window=2, counter=counter) == 1
    assert limit_answer(frame, window=100_000, counter=counter) == 1024

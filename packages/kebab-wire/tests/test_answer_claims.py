"""What bears a claim in a model's own words, and the days of documents, are given to agents, too."""

from __future__ import annotations

from datetime import UTC, date, datetime

from kebab_core import (
    Answer,
    AnswerCitation,
    AnswerRetrievalSummary,
    Claim,
    ClaimSource,
    ClaimVerdict,
    LineCitation,
    ModelRef,
    PromptTemplateVersion,
    SearchMode,
    TraceId,
    WorkspacePath,
)
from kebab_wire import wire_agent_answer

PLACE = LineCitation(path=WorkspacePath("a.md"), start=3, end=3)
NOW = datetime(2026, 1, 2, tzinfo=UTC)


def answer(verdict: ClaimVerdict) -> Answer:
    source = ClaimSource(marker="[1]", citation=PLACE, quote="It takes five minutes.")
    return Answer(
        answer="Five minutes. [1]",
        citations=(AnswerCitation(marker="[1]", citation=PLACE, indexed_at=NOW, stale=False),),
        grounded=True,
        model=ModelRef(id="m", provider="p"),
        prompt_template_version=PromptTemplateVersion("rag-v4-json"),
        retrieval=AnswerRetrievalSummary(
            trace_id=TraceId("ret_0123456789abcdef"),
            mode=SearchMode.LEXICAL,
            k=1,
            score_gate=0,
            top_score=1,
            chunks_returned=1,
            chunks_used=1,
        ),
        created_at=NOW,
        claims=(Claim(text="Five minutes.", sources=(source,), verdict=verdict),),
    )


def test_agents_get_the_quote_of_a_claim_that_is_no_quote_itself() -> None:
    (cited,) = wire_agent_answer(answer(ClaimVerdict.SUPPORTED)).citations or ()
    assert cited.quote == "It takes five minutes."
    assert cited.verdict is ClaimVerdict.SUPPORTED
    (open_claim,) = wire_agent_answer(answer(ClaimVerdict.NOT_PROVEN)).citations or ()
    assert (open_claim.quote, open_claim.verdict) == (cited.quote, ClaimVerdict.NOT_PROVEN)
    (quoted,) = wire_agent_answer(answer(ClaimVerdict.QUOTED)).citations or ()
    assert (quoted.quote, quoted.verdict) == (None, None)


def test_agents_get_the_days_of_documents_where_two_are_cited_that_state_one() -> None:
    one = answer(ClaimVerdict.QUOTED)
    (cited,) = one.citations
    places = [("[1]", "a.md", date(2026, 1, 2)), ("[2]", "b.md", None), ("[3]", "c.md", date(2025, 1, 2))]
    citations = tuple(
        cited.model_copy(
            update={
                "marker": marker,
                "citation": PLACE.model_copy(update={"path": WorkspacePath(path)}),
                "stated_on": day,
            }
        )
        for marker, path, day in places
    )
    both = wire_agent_answer(one.model_copy(update={"citations": citations})).citations or ()
    assert [each.stated_on for each in both] == [date(2026, 1, 2), None, date(2025, 1, 2)]
    single = wire_agent_answer(one.model_copy(update={"citations": citations[:2]})).citations or ()
    assert [each.stated_on for each in single] == [None, None]

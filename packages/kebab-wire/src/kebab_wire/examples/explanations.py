"""Why files are found or not."""

from __future__ import annotations

from kebab_core import RuleOrigin, ScoreKind, SearchFilters, SearchMode, SearchQuery, SkipReason

from kebab_wire.base import WireObject
from kebab_wire.examples.documents import CHUNK_IDS, DOC_ID
from kebab_wire.examples.places import EARLIER, ROOT, START
from kebab_wire.search import LegFailureV1, wire_query
from kebab_wire.span import LineSpanV1
from kebab_wire.why import (
    WhyDocumentV1,
    WhyFailureV1,
    WhyLegV1,
    WhyPassageV1,
    WhyRuleV1,
    WhyStepV1,
    WhyTermV1,
    WhyV1,
)

_SOURCE = WhyStepV1(name="source", state="ok", detail=f"default: {ROOT}")
_RULES = WhyStepV1(name="rules", state="ok", detail="no rule leaves it out")


def build_explanations() -> dict[str, WireObject]:
    """Return examples of `why.v1` by name."""
    return {"why": _left_out(), "why.failed": _failed(), "why.query": _filtered_out()}


def _left_out() -> WhyV1:
    detail = "the folder 초안 is ignored by line 2 of .gitignore: 초안/"
    fix = "delete line 2 of .gitignore, or add the line !/초안/ at its end; then kebab ingest"
    return WhyV1(
        asked="초안/청킹.md",
        verdict="left_out",
        summary=f"초안/청킹.md is not found: {detail}",
        fix=fix,
        steps=(_SOURCE, WhyStepV1(name="rules", state="stop", detail=detail, fix=fix)),
        source_id="default",
        doc_path="초안/청킹.md",
        disk_path=f"{ROOT}/초안/청킹.md",
        rule=WhyRuleV1(
            reason=SkipReason.GITIGNORE,
            path="초안",
            is_folder=True,
            origin=RuleOrigin.IGNORE_FILE,
            name=".gitignore",
            pattern="초안/",
            line=2,
        ),
    )


def _failed() -> WhyV1:
    detail = "it could not be read at 2026-03-02 09:30 UTC: Permission denied"
    return WhyV1(
        asked="잠김.md",
        verdict="failed",
        summary=f"잠김.md is not found: {detail}",
        fix="mend the file or leave it out; then kebab ingest 잠김.md",
        steps=(_SOURCE, _RULES, WhyStepV1(name="ingest", state="stop", detail=detail)),
        source_id="default",
        doc_path="잠김.md",
        disk_path=f"{ROOT}/잠김.md",
        failure=WhyFailureV1(stage="read", code="io_error", message="Permission denied", at=START),
    )


def _filtered_out() -> WhyV1:
    query = SearchQuery(
        text="청크 크기", mode=SearchMode.HYBRID, filters=SearchFilters.model_validate({"lang": ("en",)})
    )
    failure = LegFailureV1(code="not_indexed", message="no passage has a vector yet", hint="kebab embed")
    return WhyV1(
        asked=str(DOC_ID),
        query=wire_query(query),
        verdict="filtered_out",
        summary="설계/청킹.md is not found: kept out by --lang (the file has ko)",
        fix="search without --lang",
        steps=(
            _SOURCE,
            _RULES,
            WhyStepV1(
                name="filters",
                state="stop",
                detail="kept out by --lang (the file has ko)",
                fix="search without --lang",
            ),
            WhyStepV1(name="order", state="ok", detail="it is hit 1 of 12 without these filters"),
        ),
        source_id="default",
        doc_path="설계/청킹.md",
        disk_path=f"{ROOT}/설계/청킹.md",
        document=WhyDocumentV1(
            doc_id=DOC_ID,
            title="청킹",
            lang="ko",
            media="markdown",
            indexed_at=EARLIER,
            stale=True,
            change="edited",
            is_external=False,
            passage_count=1,
            embedded_count=0,
        ),
        passages=(
            WhyPassageV1(
                chunk_id=CHUNK_IDS[0],
                ordinal=0,
                heading_path=("청킹", "크기"),
                uri="%EC%84%A4%EA%B3%84/%EC%B2%AD%ED%82%B9.md#L5-L9",
                source_spans=(LineSpanV1(start=5, end=9),),
                token_estimate=120,
                has_vector=False,
                terms=("청크", "크기"),
            ),
        ),
        terms=(
            WhyTermV1(text="청크", kind="term", weight=2.31, searched=True, in_index=14, passages=(0,)),
            WhyTermV1(text="크기", kind="term", weight=3.02, searched=True, in_index=5, passages=(0,)),
        ),
        legs=(
            WhyLegV1(
                mode=SearchMode.LEXICAL,
                rank=1,
                score=7.9,
                score_kind=ScoreKind.BM25,
                chunk_id=CHUNK_IDS[0],
                looked_at=12,
                matches=True,
                filtered=False,
            ),
            WhyLegV1(
                mode=SearchMode.VECTOR, rank=None, looked_at=0, matches=False, filtered=False, failure=failure
            ),
        ),
    )

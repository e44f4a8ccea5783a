"""Golden suites as a use case: questions about one's own documents, against what a good result has to hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import DocFilter, KebabError, SearchHit, SearchQuery

from kebab_app.evaluate import finish_run, measure, measure_answers, require_common
from kebab_app.evaluate_base import Collected, collect_folder, index_documents, read_document_text
from kebab_app.evaluate_record import describe_run
from kebab_app.evaluate_runs import read_scores
from kebab_app.search import search

if TYPE_CHECKING:
    from kebab_eval import GoldenSuite, RetrievalSet
    from kebab_ingest import EventSink
    from kebab_wire import EvalGoldenV1, EvalRunV1

    from kebab_app.evaluate_options import EvaluateOptions
    from kebab_app.knowledge_base import KnowledgeBase


def evaluate_suite(
    base: KnowledgeBase,
    path: Path,
    options: EvaluateOptions,
    *,
    sink: EventSink,
    progress: Callable[[int, int], None],
) -> EvalRunV1:
    """Measure search and answers on a golden suite.

    A suite that names a corpus is measured on a temporary index of it, any other on the knowledge base as it is.
    The run is kept in the knowledge base, unless writing is switched off; answers are not.

    Args:
        base: Whose settings apply, and where the run is kept.
        path: The suite.
        options: What to measure.
        sink: Gets the events of an ingest.
        progress: Gets how many queries are done, and how many there are.

    Returns:
        The run, with a comparison if one was asked for.

    Raises:
        InvalidInputError: The suite cannot be used, or there is no run to compare with.
        NotIndexedError: There is nothing to search.
    """
    from kebab_eval import read_golden_suite

    before = None if options.compare is None else read_scores(base, options.compare)
    if not base.readonly:
        base.open_for_writing()
    suite = read_golden_suite(path)
    with _collect(base, path, suite=suite, options=options, sink=sink) as collected:
        judged = _as_retrieval_set(path, suite, collected)
        if before is not None:
            require_common(before, judged)
        result = measure(collected, judged, options, progress)
        answers = measure_answers(collected, suite.asked(), options, progress) if options.answers else ()
        run = describe_run(base, collected, judged, result=result, options=options)
        run = run.model_copy(update={"golden": _measure_golden(collected, suite, options)})
    return finish_run(base, run, result=result, answers=answers, before=before)


def _collect(
    base: KnowledgeBase, path: Path, *, suite: GoldenSuite, options: EvaluateOptions, sink: EventSink
) -> AbstractContextManager[Collected]:
    wanted = {name for query in suite.queries for name in query.expected_doc_ids}
    corpus = options.corpus or (path.parent / suite.corpus if suite.corpus else None)
    if corpus is None:
        return _in_force(base, wanted)
    index = partial(index_documents, mode=options.mode, sink=sink)
    include = options.include or suite.include
    return collect_folder(corpus, include, loaded=base.loaded, clock=base.clock, wanted=wanted, index=index)


@contextmanager
def _in_force(base: KnowledgeBase, wanted: set[str]) -> Iterator[Collected]:
    """Take the documents that are indexed, as they are.

    Yields:
        The knowledge base in force.
    """
    documents = base.documents.list_documents(DocFilter())
    names = {name for found in documents for name in (str(found.doc_path), str(found.doc_id))}
    paths = [found.doc_path for found in documents]
    yield Collected(
        base=base,
        document_of=lambda hit: str(hit.doc_path),
        texts=lambda: ((str(path), read_document_text(base, path)) for path in paths),
        missing=frozenset(wanted - names),
    )


def _as_retrieval_set(path: Path, suite: GoldenSuite, collected: Collected) -> RetrievalSet:
    """Return the questions that name documents, each document by its path."""
    from dataclasses import replace

    from kebab_eval import RetrievalSet

    listed = collected.base.documents.list_documents(DocFilter())
    path_of = {str(found.doc_id): str(found.doc_path) for found in listed}
    judged = tuple(
        replace(query, grades={path_of.get(name, name): grade for name, grade in query.grades.items()})
        for query in suite.judged()
    )
    skipped = len(suite.queries) - len(judged)
    return RetrievalSet(name=suite.suite, folder=path.parent, queries=judged, skipped=skipped)


def _measure_golden(collected: Collected, suite: GoldenSuite, options: EvaluateOptions) -> EvalGoldenV1:
    from kebab_eval import measure_hits, summarize_golden
    from kebab_wire import EvalGoldenV1

    k = options.k or collected.base.loaded.settings.search.default_k
    results = [
        measure_hits(
            query,
            _find(collected.base, SearchQuery(text=query.query, mode=options.mode, k=k)),
            k=k,
            chunk_names=_chunk_names,
            doc_names=_doc_names,
        )
        for query in suite.queries
    ]
    return EvalGoldenV1.model_validate(summarize_golden(results, k=k).model_dump())


def _find(base: KnowledgeBase, query: SearchQuery) -> Sequence[SearchHit]:
    try:
        return search(base, query).hits
    except KebabError:
        return ()  # counted as a query that finds nothing


def _chunk_names(hit: SearchHit) -> set[str]:
    headings = {f"{hit.doc_path}#{heading}" for heading in hit.heading_path}
    return {str(hit.chunk_id), *headings}


def _doc_names(hit: SearchHit) -> set[str]:
    return {str(hit.doc_id), str(hit.doc_path)}

"""Questions asked a second time where nothing answers them: does kebab notice?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kebab_core import IngestEvent, InvalidInputError

from kebab_app.evaluate_answers import build_asker
from kebab_app.evaluate_base import collect_passages, index_documents

if TYPE_CHECKING:
    from kebab_eval import AnswerResult, AskedQuery

    from kebab_app.evaluate_options import EvaluateOptions
    from kebab_app.knowledge_base import KnowledgeBase

_SUFFIX = "#left-out"
_ROUNDS = 4


def ask_without(
    base: KnowledgeBase,
    folder: Path,
    asked: Sequence[AskedQuery],
    *,
    options: EvaluateOptions,
    progress: Callable[[int, int], None],
) -> tuple[AnswerResult, ...]:
    """Ask answerable questions of an index without the documents that answer them.

    Goes in rounds, each with a part of the questions and an index without the documents of these: enough is left to
    be misled by.

    Args:
        base: Whose settings apply.
        folder: The set.
        asked: The questions; those that can be answered and whose documents are known are asked.
        options: What to leave out, and how to ask.
        progress: Gets how many questions are done, and how many there are.

    Returns:
        What came of them, as unanswerable questions under ids of their own.

    Raises:
        InvalidInputError: There is no such question, or the documents are not those of the set.
    """
    from kebab_eval import run_answers, take_part

    chosen = [query for query in asked if query.answerable and query.relevant]
    if not chosen or options.corpus is not None:
        raise InvalidInputError(
            "nothing can be left out", hint="use a set with its own corpus.jsonl and relevant documents"
        )
    rounds = [take_part(chosen, part=part, parts=_ROUNDS) for part in range(1, _ROUNDS + 1)]
    results: list[AnswerResult] = []
    for asked_now in filter(None, rounds):
        left_out = _find_left_out(folder, asked_now, options.left_out or "relevant")
        index = partial(index_documents, mode=options.mode, sink=_ignore)
        with collect_passages(
            folder, loaded=base.loaded, clock=base.clock, wanted=(), index=index, left_out=left_out
        ) as collected:
            ask = build_asker(collected, mode=options.mode, k=options.k)
            results += run_answers([_without_answer(query) for query in asked_now], ask, progress=progress)
    return tuple(results)


def _without_answer(query: AskedQuery) -> AskedQuery:
    return replace(
        query, query_id=query.query_id + _SUFFIX, answerable=False, answers=(), relevant=frozenset()
    )


def _find_left_out(
    folder: Path, asked: Sequence[AskedQuery], which: Literal["relevant", "related"]
) -> frozenset[str]:
    """Return the ids of documents that answer a question, and for `related` those under the same titles."""
    from kebab_eval import read_passages

    relevant = frozenset(doc_id for query in asked for doc_id in query.relevant)
    if which == "relevant":
        return relevant
    titles = {passage.title for passage in read_passages(folder) if passage.doc_id in relevant} - {""}
    related = (passage.doc_id for passage in read_passages(folder) if passage.title in titles)
    return relevant.union(related)


def _ignore(_event: IngestEvent) -> None:
    pass

"""Rounds of a multi-hop answer: a chat model takes the question apart, and its sub-questions are searched.

A sub-question is searched and nothing else: in later rounds it comes from a model that has read documents. It must share a
word with the question, and what it finds passes the same gate. The answer is then written and checked as that of a single
question is. `pipeline` calls `HopSearch`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from kebab_core import (
    Analyzer,
    ChunkId,
    ContextOverflowError,
    DocumentStore,
    FinishReason,
    GenerateRequest,
    HopDone,
    InvalidInputError,
    LanguageModel,
    Retriever,
    SearchHit,
    SearchQuery,
    SearchResponse,
)

from kebab_rag.answer_draft import AnswerDraft, add_usage, score_of
from kebab_rag.claim_words import WordReader
from kebab_rag.prompts import MAX_QUESTION_CHARS, PromptBuilder
from kebab_rag.safe_text import fence_field, make_showable
from kebab_rag.streaming import read_stream
from kebab_rag.verdict import fold

if TYPE_CHECKING:
    from collections.abc import Generator

    from kebab_rag.request import AskRequest


_MAX_REPLY_CHARS = 8_000
"""Characters of a reply after which the model is stopped."""
_MAX_PLANNING_MS = 300_000
"""Milliseconds after which no sub-question is asked for, or waited for."""
_THOUGHT = "</think>"
_VALUE = re.compile(r"[\[{]")


def read_questions(reply: str) -> list[str] | None:
    """Return the sub-questions of a reply in JSON, as an object or a bare list; None where it is neither.

    Thoughts before it, a fence around it and text behind it are passed over.
    """
    text = reply.rpartition(_THOUGHT)[2]
    opening = _VALUE.search(text)
    if opening is None:
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(text, opening.start())
    except (ValueError, RecursionError):
        return None
    found = value.get("questions") if isinstance(value, dict) else value
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        return None
    return found


@dataclass(kw_only=True)
class HopSearch:
    """The searches of one multi-hop answer, behind that of the question itself. Belongs to one thread.

    Attributes:
        draft: The draft of the answer, after its first search; the rounds and what they find go there.
        request: The question, with its filters.
        model: Asked for sub-questions.
        retriever: Searches them.
        prompting: Writes the requests for them.
        documents: Gives the text of passages.
        analyzer: Tells words by their stems.
        rerank: Whether the retriever is to rerank the first passages.
        max_depth: Most rounds of search.
        max_questions: Most sub-questions of a round.
    """

    draft: AnswerDraft
    request: AskRequest
    model: LanguageModel
    retriever: Retriever
    prompting: PromptBuilder
    documents: DocumentStore
    analyzer: Analyzer
    rerank: bool
    max_depth: int
    max_questions: int
    _found: list[Sequence[SearchHit]] = field(default_factory=list)
    """The hits of each question with their scores, best first; those of the question itself are the first."""

    def run(self) -> Generator[HopDone, None, bool]:
        """Search by rounds; return whether the question could be taken apart, or needs no hop.

        The model is called at most `max_depth` times: to take the question apart, and before each further round to say what is
        missing.

        Yields:
            An event for each round.

        Raises:
            ContextOverflowError: Instructions and question leave the model no room.
            ExternalError: The model failed.
        """
        self._found.append(self.draft.evidence)
        self.draft.begin_hop("decompose")
        proposed = self._ask(self._write(is_first=True))
        questions = self._choose(proposed or [])
        if proposed is None or (proposed and not questions and not self._is_repeated(proposed)):
            return False
        while True:
            yield self._search(questions)
            if not questions or self._is_late():
                break
            if len(self.draft.hops or ()) == self.max_depth:
                self.draft.change_hop(forced_stop=True)
                break
            try:
                request = self._write(is_first=False)
            except ContextOverflowError:
                self.draft.change_hop(forced_stop=True)
                break
            self.draft.begin_hop("decide")
            questions = self._choose(self._ask(request) or [])
        return True

    def _write(self, *, is_first: bool) -> GenerateRequest:
        """Return the request to take the question apart, or a later one, with what is found.

        Raises:
            ContextOverflowError: There is no room for it.
        """
        draft = self.draft
        packed = None
        if not is_first:
            chunks = self.documents.get_chunks([hit.chunk_id for hit in draft.evidence])
            packed = self.prompting.pack(draft, chunks)
        written = self.prompting.ask_for_questions(draft, packed, limit=self.max_questions)
        return written.model_copy(
            update={"temperature": self.request.temperature or 0.0, "seed": self.request.seed}
        )

    def _is_late(self) -> bool:
        is_late = self.draft.clock.monotonic_ms() - self.draft.started_ms > _MAX_PLANNING_MS
        if is_late:
            self.draft.change_hop(forced_stop=True)
        return is_late

    def _ask(self, request: GenerateRequest) -> list[str] | None:
        """Return what the model replies, None where that cannot be read; it is stopped where it does not end."""
        draft, reply = self.draft, ""
        with closing(cast("Generator[str, None, None]", self._read(request))) as pieces:
            for text in pieces:
                reply += text
                if len(reply) > _MAX_REPLY_CHARS or self._is_late():
                    break
        done, draft.generation = draft.generation, None
        draft.end_call()
        if done is not None:
            draft.planning = add_usage(draft.planning, done.usage)
        return (
            read_questions(reply) if done is None or done.finish_reason is not FinishReason.ABORTED else None
        )

    def _read(self, request: GenerateRequest) -> Iterator[str]:
        return read_stream(self.draft, self.model.generate_stream(request))

    def _choose(self, proposed: Sequence[str]) -> list[str]:
        """Return those that are to be searched: short, new, and about the question."""
        asked = self.draft.searched
        words = WordReader(self.analyzer)
        said = {fold(each) for each in (asked, *self.draft.sub_questions)}
        chosen: list[str] = []
        for each in proposed:
            question = " ".join(fence_field(make_showable(each)).split())
            is_about = bool(words.keys(question) & words.keys(asked))
            if not is_about or len(question) > MAX_QUESTION_CHARS or fold(question) in said:
                continue
            said.add(fold(question))
            chosen.append(question)
        return chosen[: self.max_questions]

    def _is_repeated(self, proposed: Sequence[str]) -> bool:
        return all(fold(each) == fold(self.draft.searched) for each in proposed)

    def _search(self, questions: Sequence[str]) -> HopDone:
        """Search each question for its share of `k`; what passes the gate joins the hits of the draft."""
        draft, before, searched = self.draft, len(self.draft.hits), len(self.draft.sub_questions)
        for question in questions:
            try:
                response = self.retriever.search(
                    SearchQuery(
                        text=question,
                        mode=draft.mode,
                        k=max(1, draft.k // len(questions)),
                        filters=self.request.filters,
                        all_passages=True,
                        rerank=self.rerank,
                    )
                )
            except InvalidInputError:  # it is syntax, or has no word
                continue
            draft.sub_questions.append(question)
            if likely := [hit for hit in response.hits if score_of(hit) >= draft.score_gate]:
                self._found.append(likely)
        if questions:
            self._merge()
        hop = draft.change_hop(
            sub_queries=tuple(draft.sub_questions[searched:]), context_chunks_added=len(draft.hits) - before
        )
        return HopDone(ts=draft.clock.now(), hop=hop)

    def _merge(self) -> None:
        """Put the hits of all questions into one order, each once."""
        draft = self.draft
        every = {hit.chunk_id: hit for found in self._found for hit in found}
        chunks = self.documents.get_chunks([*every])
        costs = {item.chunk.chunk_id: self.prompting.counter.count(item.chunk.text) for item in chunks}
        merged = take_turns(self._found, costs)
        hits = [hit.model_copy(update={"rank": rank}) for rank, hit in enumerate(merged, start=1)]
        draft.response = cast("SearchResponse", draft.response).model_copy(update={"hits": tuple(hits)})


def take_turns(found: Sequence[Sequence[SearchHit]], costs: Mapping[ChunkId, int]) -> list[SearchHit]:
    """Return the hits of several questions in an order of which every beginning gives them equal shares of tokens.

    The next hit is always one of the question that has had the fewest tokens; a hit of two questions is taken once, with
    the score that it has for the first of them.

    Args:
        found: The hits of each question, best first.
        costs: Tokens of a passage by chunk id; one that is not there costs nothing.
    """
    left = [list(each) for each in found]
    spent = [0] * len(found)
    first = {hit.chunk_id: hit for hits in reversed(found) for hit in hits}
    taken: dict[ChunkId, SearchHit] = {}
    while any(left):
        turn = min((at for at, hits in enumerate(left) if hits), key=lambda at: (spent[at], at))
        hit = left[turn].pop(0)
        if hit.chunk_id not in taken:
            taken[hit.chunk_id] = first[hit.chunk_id]
            spent[turn] += costs.get(hit.chunk_id, 0)
    return list(taken.values())

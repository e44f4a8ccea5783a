"""Spans that may be quoted, and the features by which the trees tell whether one answers.

A span is a sentence, an item, a row or a short block of code, read with its title, headings and the line that leads to it.
Features are general: what share of the question it holds, how its passage was found, its cosine, the kind of thing that is
asked for and held, its form. None of them is decisive.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from kebab_core import MODEL_FAILURES
from kebab_text import SentenceKind, is_korean, script_of_text

from kebab_extractive.answer_types import FACTS, AnswerType, holds_type
from kebab_extractive.quotes import is_quotable
from kebab_extractive.sentence_forms import (
    ends_as_sentence,
    has_directive,
    has_words,
    is_question,
    leads_on,
    letters,
)

if TYPE_CHECKING:
    from kebab_core import Embedder, VectorMatrix
    from kebab_text import Script

    from kebab_extractive.passage import ReadPassage
    from kebab_extractive.question import Question

_MAX_COMPARED = {True: 48, False: 32}
"""Most spans that are weighed, by whether they are compared by meaning."""
_OF_EACH_PASSAGE = 2
"""Spans of each passage that are among them whatever they promise, since an answer may share no word with the question. Of passages in
another script all are that are compared by meaning, since words promise nothing there. Of 1,879 questions about seven people's folders a right span
is so among the three best for .627 instead of .605 (2026-11)."""
_UNKNOWN = -2.0
"""Value of a feature of vectors where there are none."""
_TEXT_CHARS = 400
_LEAD_CHARS = 150
"""Most characters of a span, and of the line that leads to it, that are embedded."""
_QUESTION_CHARS = 2_000
"""Most characters of a question that are embedded, as in search."""
_EMBEDDED_AT_ONCE = 16
_KOREAN = "ko"

NAMES = (
    *("own", "context", "before", "around", "passage", "most", "behind"),
    *("similarity", "z_score", "bm25_ratio", "density", "proximity", "sentence_coverage", "coverage"),
    *("score", "score_behind", "rank", "unknown", "terms", "names", "names_held", "numbers_held"),
    *("chunks", "same_language", "is_code", "is_item", "is_row", "is_led"),
    *("place", "sentences", "length", "own_terms", "new_terms", "held", "lacking", "newer"),
    *("unit", "missing", "missing_in_passage", "rivals"),
    *(f"asks_{each.value}" for each in AnswerType),
    *("own_behind", "centred", "centred_behind"),
    *("cosine", "cosine_behind", "cosine_excess", "cosine_most", "cosine_behind_in_passage"),
)
"""Names of the features, in their order."""
_SAME_LANGUAGE = NAMES.index("same_language")


@dataclass(frozen=True)
class Span:
    """A sentence that may be quoted.

    Attributes:
        rank: Position of its passage in the evidence, from 0.
        position: Position of the sentence in the passage.
        features: In the order of `NAMES`.
        probability: Probability that what is quoted for it answers; 0 before it is weighed.
    """

    rank: int
    position: int
    features: tuple[float, ...]
    probability: float = 0.0

    @property
    def is_compared(self) -> bool:
        """True if its features include cosines."""
        return self.features[-1] != _UNKNOWN

    @property
    def is_in_script_of_question(self) -> bool:
        """True if its passage is in Korean and the question, too, or neither."""
        return bool(self.features[_SAME_LANGUAGE])

    @property
    def promise(self) -> float:
        """Rough order of spans before they are compared by meaning."""
        value = dict(zip(NAMES, self.features, strict=True))
        return (
            value["before"]
            + 0.5 * value["passage"]
            + 0.3 * value["score"]
            + 0.1 * value["held"]
            - 0.02 * value["rank"]
        )


def find_spans(
    question: Question,
    passages: Sequence[ReadPassage],
    *,
    embedder: Embedder | None = None,
    centroids: Mapping[Script, Sequence[float]] | None = None,
) -> list[Span]:
    """Return the spans that may answer, with their features, at most `_MAX_COMPARED`, in the order of the evidence.

    Left out are headings, questions, lines that lead to nothing, what only repeats the question, and what cannot be printed.

    Args:
        question: The question.
        passages: The evidence, in the order of ranks.
        embedder: Compares spans with the question; None, or one that fails, leaves the features of cosines unknown.
        centroids: Mean vectors of questions, by script; the features `centred` are unknown in a script without one.
    """
    found = [
        (rank, position)
        for rank, read in enumerate(passages)
        for position in range(len(read.sentences))
        if _may_answer(question, read, position)
    ]
    shared = _of_question(question)
    of_passages = _of_passages(question, passages)
    rows = [
        {**of_passages[rank], **_describe(question, passages[rank], position)} for rank, position in found
    ]
    most = max((row["before"] for row in rows), default=0.0)
    spans = [
        Span(
            rank,
            position,
            tuple(float(values.get(name, _UNKNOWN)) for name in NAMES),
        )
        for (rank, position), row in zip(found, rows, strict=True)
        for values in [{**shared, **row, "most": most, "behind": most - row["before"]}]
    ]
    chosen = _most_promising(spans, by_words=embedder is None)
    texts = [_text_in_context(passages[each.rank], each.position) for each in chosen]
    centroid = (centroids or {}).get(script_of_text(question.text))
    near = _cosines(embedder, question.text, texts, centroid) if embedder and texts else None
    return _relate(chosen, near)


def _most_promising(spans: Sequence[Span], *, by_words: bool) -> list[Span]:
    """Return the spans that are compared: the best one of each passage, those in another script, then the best ones of all.

    They are in the order of the evidence. By words alone another script makes no difference.
    """
    ranked = sorted(range(len(spans)), key=lambda at: -spans[at].promise)
    taken = Counter[int]()
    of_passages, others = list[int](), list[int]()
    for at in ranked:
        taken[spans[at].rank] += 1
        is_kept = taken[spans[at].rank] <= _OF_EACH_PASSAGE or not (
            by_words or spans[at].is_in_script_of_question
        )
        (of_passages if is_kept else others).append(at)
    return [spans[at] for at in sorted((of_passages + others)[: _MAX_COMPARED[not by_words]])]


def _may_answer(question: Question, read: ReadPassage, position: int) -> bool:
    text = read.text(position)
    return (
        read.sentences[position].kind is not SentenceKind.HEADING
        and not read.is_unasked_label(position, question.text)
        and not read.is_picture_name(position)
        and is_quotable(text)
        and (has_words(text) or "://" in text)
        and not has_directive(text)
        and (read.sentences[position].kind is SentenceKind.CODE or not is_question(text))
        and not _is_echo(question, read, position)
        and (not leads_on(text) or position + 1 in read.list_starts)
        and (not read.is_mail_field(position) or _holds_fact(question, text))
    )


def _holds_fact(question: Question, text: str) -> bool:
    return any(holds_type(each, text, question=question.text) for each in FACTS & question.asked)


def _is_echo(question: Question, read: ReadPassage, position: int) -> bool:
    """Return True if a sentence only repeats the question: the same letters, or a label of the same words."""
    if position + 1 in read.list_starts:
        return False
    text = read.text(position)
    if letters(text) in letters(question.text):
        return True
    is_label = not ends_as_sentence(text) and read.sentences[position].kind is SentenceKind.PROSE
    labels = (read.passage.title, *read.passage.heading_path)
    context = frozenset[str]() if letters(text) in map(letters, labels) else read.context
    return is_label and read.terms[position] <= question.terms | context


def _of_question(question: Question) -> dict[str, float]:
    """Return the features that all spans of a question share."""
    words = question.query_terms
    total = sum(word.weight for word in words) or 1.0
    return {
        "unknown": sum(word.weight for word in words if not word.is_known) / total,
        "terms": len(words),
        "names": len(question.names),
        "chunks": math.log1p(question.chunks),
        **{f"asks_{each.value}": each in question.asked for each in AnswerType},
    }


def _of_passages(question: Question, passages: Sequence[ReadPassage]) -> list[dict[str, float]]:
    """Return the features that all spans of each passage share."""
    scores = [each.passage.score or 0.0 for each in passages]
    coverages = [question.coverage(each.held_terms) for each in passages]
    return [
        {
            "passage": coverage,
            "missing_in_passage": question.missing(read.held_terms),
            "rivals": sum(other >= coverage for other in coverages) - 1,
            "similarity": _UNKNOWN if evidence.similarity is None else evidence.similarity,
            "z_score": _UNKNOWN if evidence.z_score is None else evidence.z_score,
            "bm25_ratio": evidence.bm25_ratio,
            "density": evidence.density or 0.0,
            "proximity": evidence.proximity or 0.0,
            "sentence_coverage": evidence.sentence_coverage or 0.0,
            "coverage": evidence.coverage,
            "score": score,
            "score_behind": max(scores) - score,
            "rank": rank,
            "names_held": read.is_about(question.names),
            "numbers_held": all(read.holds_number(each) for each in question.numbers),
            "same_language": (read.passage.lang == _KOREAN) == is_korean(question.text),
            "sentences": len(read.sentences),
            "newer": sum(each.date > read.date for each in passages) if read.date else _UNKNOWN,
        }
        for rank, (read, score, coverage) in enumerate(zip(passages, scores, coverages, strict=True))
        for evidence in (read.passage.evidence,)
    ]


def _describe(question: Question, read: ReadPassage, position: int) -> dict[str, float]:
    """Return the features of one span of its own, those of cosines excepted."""
    sentence, text = read.sentences[position], read.text(position)
    own, lead, surface = read.terms[position], read.terms_before(position), read.surface(position)
    beside = (
        (position - 1, position + 1) if read.leads[position] is None else ()
    )  # rows and items say other things
    neighbours = [lead, *(read.terms[n] for n in beside if 0 <= n < len(read.sentences))]
    held = [holds_type(each, text, question=question.text) for each in FACTS & question.asked]
    return {
        "own": question.coverage(own, surface=surface),
        "context": question.coverage(own, read.context, surface=surface),
        "before": question.coverage(own, read.context, lead, surface=surface),
        "around": question.coverage(own, read.context, *neighbours, surface=surface),
        "missing": question.missing(own, read.context, lead, surface=surface),
        "is_code": sentence.kind is SentenceKind.CODE,
        "is_item": sentence.kind is SentenceKind.ITEM,
        "is_row": sentence.kind is SentenceKind.ROW,
        "is_led": position + 1 in read.list_starts,
        "place": position / len(read.sentences),
        "length": math.log1p(len(text)),
        "own_terms": len(own),
        "new_terms": len(own - question.terms),
        "held": any(held),
        "lacking": bool(held) and not all(held),
        "unit": _UNKNOWN if question.unit is None else question.unit.search(text) is not None,
    }


def _relate(spans: Sequence[Span], near: Sequence[tuple[float, float]] | None) -> list[Span]:
    """Return the spans with the features that compare them with each other, with those of their cosines if there are any.

    Args:
        spans: The spans.
        near: Cosine and centred cosine of each, see `_cosines`; None without vectors.
    """
    own = [each.features[0] for each in spans]
    behind = _behind(spans, own)
    cosines = [(_UNKNOWN,) * 7] * len(spans)
    if near:
        plain, centred = zip(*near, strict=True)
        most, mean, most_centred = max(plain), sum(plain) / len(plain), max(centred)
        in_passage = _behind(spans, plain)
        cosines = [
            (rest, most_centred - rest, cosine, most - cosine, cosine - mean, most, less)
            for cosine, rest, less in zip(plain, centred, in_passage, strict=True)
        ]
    return [
        replace(each, features=(*each.features[: -len(new) - 1], less, *new))
        for each, less, new in zip(spans, behind, cosines, strict=True)
    ]


def _behind(spans: Sequence[Span], values: Sequence[float]) -> list[float]:
    """Return the difference of each value to the greatest one of the same passage, at least 0."""
    most: dict[int, float] = {}
    for span, value in zip(spans, values, strict=True):
        most[span.rank] = max(value, most.get(span.rank, value))
    return [most[span.rank] - value for span, value in zip(spans, values, strict=True)]


def _text_in_context(read: ReadPassage, position: int) -> str:
    """Return a span below its title, its heading and the line that leads to it, without spoofed markers."""
    labels = dict.fromkeys((read.passage.title, *read.passage.heading_path[-1:]))
    lead = read.lead_text(position)[:_LEAD_CHARS]
    return "\n".join(each for each in (*labels, lead, read.unmarked(position)[:_TEXT_CHARS]) if each)


def _cosines(
    embedder: Embedder, question: str, texts: Sequence[str], centroid: Sequence[float] | None
) -> list[tuple[float, float]] | None:
    """Return cosine and centred cosine of a question with each text, in order; None if the model cannot be used.

    The centred cosine is the cosine less the product of the centroid of questions and the text: what questions have in common is mostly
    their script, which a text of the same script shares. `_UNKNOWN` without a centroid of the same dimensions.
    """
    from kebab_core import EmbeddingKind

    try:
        (query,) = _rows(embedder.embed([question[:_QUESTION_CHARS]], EmbeddingKind.QUERY))
        different = list(dict.fromkeys(texts))
        rows: dict[str, list[float]] = {}
        for start in range(0, len(different), _EMBEDDED_AT_ONCE):
            part = different[start : start + _EMBEDDED_AT_ONCE]
            rows.update(zip(part, _rows(embedder.embed(part, EmbeddingKind.DOCUMENT)), strict=True))
    except MODEL_FAILURES:
        return None
    plain = [_product(query, rows[text]) for text in texts]
    if centroid is None or len(centroid) != len(query):
        return [(cosine, _UNKNOWN) for cosine in plain]
    return [
        (cosine, cosine - _product(centroid, rows[text])) for cosine, text in zip(plain, texts, strict=True)
    ]


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _rows(matrix: VectorMatrix) -> list[list[float]]:
    return cast("list[list[float]]", matrix.tolist())  # a memory view of two dimensions

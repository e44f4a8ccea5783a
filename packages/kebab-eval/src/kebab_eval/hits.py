"""Measures of the first hits of searches: passages without words, strangers, searches without a hit, and the score."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kebab_core import (
    HitMetrics,
    IndexedChunk,
    LineCitation,
    Model,
    ReliabilityPoint,
    ScoreKind,
    ScoreMetrics,
    SearchHit,
)
from kebab_text import script_of_text

from kebab_eval.corpus import IndexedCorpus
from kebab_eval.metrics import CUTOFF, mean_of
from kebab_eval.queries import ABSENT, JudgedQuery

BINS = 15
"""Bins of the calibration error."""
_FIRST_HITS = 5
"""Hits that are looked at for strangers."""
_UNSCALED = frozenset({ScoreKind.BM25, ScoreKind.COSINE, ScoreKind.RRF})
"""Scales that only rank, so that their agreement with judgements means nothing."""

_FENCE = re.compile(r"\s*(```|~~~)")
_MARKUP = re.compile(
    r"<!--[^<>]*-->|</?[A-Za-z][^<>]*>"  # HTML
    r"|\{%[^%]*%\}|\{\{[^{}]*\}\}"  # Liquid
    r"|\{:[^{}]*\}"  # attributes of Kramdown
    r"|\[\[_?toc_?\]\]|\[toc\]",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"!?\[\[[^\[\]]*\]\]"  # wikilink and embed
    r"|!?\[[^\[\]]*\](?:\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\])"  # link and image, inline or by reference
    r"|\b[A-Za-z]{2,20}://\S+"
)
_DEFINITION = re.compile(r"\s*\[[^\[\]]*\]:")
"""Begins the line that a reference points to."""
_HEADING = re.compile(r"\s{0,3}#{1,6}(\s|$)")
_TOC_LINE = re.compile(r"\s*[*+-]\s+toc\s*", re.IGNORECASE)
_TASK = re.compile(r"^\s*[*+-]\s+\[[ xX]\]")
_WORD = re.compile(r"[^\W_]")
_LINK_DEPTH = 2
"""An image within a link."""


def has_words(text: str) -> bool:
    """Return True if a passage says anything of its own.

    Words are letters and digits outside of code fences' marks that are left after these are taken away: headings;
    marks of a table of contents (`* TOC`, `[TOC]`, `[[toc]]`); Liquid (`{% … %}`, `{{ … }}`); attributes of Kramdown
    (`{: … }`, `{:toc}`); HTML tags and comments; links, images, embeds and addresses with their texts. A link within a
    sentence leaves the words around it, a list of nothing but links leaves none. The mark of a task (`- [ ]`) has no
    words. Lines of code count, whatever they look like.

    Args:
        text: Markdown of the passage, headings included.
    """
    prose, in_code = [], False
    for line in text.splitlines():
        if _FENCE.match(line):
            in_code = not in_code
        elif in_code and _WORD.search(line):
            return True
        elif not _HEADING.match(line):
            prose.append(line)
    bare = _MARKUP.sub(" ", "\n".join(prose))
    for _ in range(_LINK_DEPTH):
        bare = _LINK.sub(" ", bare)
    return any(
        _WORD.search(_TASK.sub("", line, count=1))
        for line in bare.splitlines()
        if not (_TOC_LINE.fullmatch(line) or _DEFINITION.match(line))
    )


class HitResult(Model):
    """Measures of one hit; None where something is not known or not looked at."""

    document: str
    """As the set names it."""
    score: float
    relevant: bool | None
    """As judged; None where nobody judged it."""
    boilerplate: bool | None = None
    """The passage has no words of its own; only of the first hit."""
    stranger: bool | None = None
    """In another script, without a term of the query, and not relevant; only of the first five hits."""


class SearchResult(Model):
    """The first ten hits of one query."""

    query_id: str
    text: str
    language: str
    kind: str | None
    judged: bool
    """Some document is relevant."""
    score_kind: ScoreKind | None = None
    """None without hits."""
    hits: tuple[HitResult, ...] = ()
    error: str | None = None
    """Code of the error that the search ended with; it then has no hits."""


@dataclass(frozen=True)
class HitExaminer:
    """Measures hits against the judgements of their queries."""

    corpus: IndexedCorpus
    """The documents that were searched."""

    def examine(
        self, query: JudgedQuery, found: Sequence[SearchHit], *, error: str | None = None
    ) -> SearchResult:
        """Measure the first ten hits of one query.

        Args:
            query: The query with its judgements.
            found: The hits, best first.
            error: Code of the error that the search ended with.
        """
        hits = [hit for hit in found if self.corpus.document_of(hit) != query.excluded][:CUTOFF]
        first = self.corpus.base.read_passages([hit.chunk_id for hit in hits[:_FIRST_HITS]])
        passages = {each.chunk.chunk_id: each for each in first}
        results = []
        for place, hit in enumerate(hits):
            document, passage = self.corpus.document_of(hit), passages.get(hit.chunk_id)
            relevant = query.judge(document)
            results.append(
                HitResult(
                    document=document,
                    score=hit.score,
                    relevant=relevant,
                    boilerplate=None if place or passage is None else not has_words(self._read(hit, passage)),
                    stranger=None
                    if passage is None
                    else not relevant and self._is_strange(query.text, passage),
                )
            )
        return SearchResult(
            query_id=query.query_id,
            text=query.text,
            language=query.language,
            kind=query.kind,
            judged=query.has_relevant,
            score_kind=hits[0].score_kind if hits else None,
            hits=tuple(results),
            error=error,
        )

    def _read(self, hit: SearchHit, passage: IndexedChunk) -> str:
        """Read the cited lines of a hit, whose headings and links are not told in its text; its text without lines."""
        if not isinstance(hit.citation, LineCitation):
            return passage.chunk.text
        lines = self.corpus.base.read_text(passage.document).splitlines()
        return "\n".join(lines[hit.citation.start - 1 : hit.citation.end]) or passage.chunk.text

    def _is_strange(self, query: str, passage: IndexedChunk) -> bool:
        """Tell a passage in another script, judged by its text, that holds no term of the query.

        Terms are those of the lexical index, without words that only ask, in title, headings and text.
        """
        chunk = passage.chunk
        if script_of_text(chunk.text) is script_of_text(query):
            return False
        analyzer = self.corpus.base.analyzer
        wanted = {term.text for term in analyzer.analyze_query(query)}
        whole = "\n".join((passage.document.title, *chunk.heading_path, chunk.text))
        return wanted.isdisjoint(term.text for term in analyzer.analyze(whole))


def summarize_hits(results: Sequence[SearchResult]) -> HitMetrics:
    """Summarize the first hits of all searches."""
    absent = [result for result in results if result.kind == ABSENT]
    scores = [[hit.score for hit in result.hits] for result in results if result.hits]
    return HitMetrics(
        searches=len(results),
        boilerplate=mean_of(hit.boilerplate for result in results for hit in result.hits),
        strangers=mean_of(hit.stranger for result in results for hit in result.hits),
        absent=len(absent),
        absent_no_hit=mean_of(not result.hits for result in absent),
        judged_no_hit=mean_of(not result.hits for result in results if result.judged),
        distinct_scores=mean_of(len(set(each)) / len(each) for each in scores),
        saturated=mean_of(len(set(each)) == 1 for each in scores if len(each) == CUTOFF),
        scores=measure_scores(
            (hit.score, hit.relevant)
            for result in results
            for hit in result.hits
            if result.score_kind not in _UNSCALED
        ),
    )


def measure_scores(scored: Iterable[tuple[float, bool | None]]) -> ScoreMetrics | None:
    """Measure how well scores agree with judgements.

    Args:
        scored: Score, 0 to 1, and judgement of each hit; None is not judged.

    Returns:
        The measures; None without hits.
    """
    hits = list(scored)
    judged = sorted(((score, right) for score, right in hits if right is not None), key=lambda hit: hit[0])
    if not hits:
        return None
    points = tuple(_bins(judged))
    errors = (abs(point.score - point.relevant) * point.hits for point in points)
    return ScoreMetrics(
        hits=len(judged),
        unjudged=len(hits) - len(judged),
        calibration_error=sum(errors) / len(judged) if judged else None,
        brier=mean_of((score - right) ** 2 for score, right in judged),
        points=points,
    )


def _bins(ascending: Sequence[tuple[float, bool]]) -> Iterator[ReliabilityPoint]:
    """Yield bins of equally many hits, give or take one; fewer bins where there are fewer hits."""
    edges = [len(ascending) * number // BINS for number in range(BINS + 1)]
    for start, end in pairwise(edges):
        if start < end:
            part = ascending[start:end]
            yield ReliabilityPoint(
                hits=len(part),
                score=sum(score for score, _ in part) / len(part),
                relevant=sum(right for _, right in part) / len(part),
            )

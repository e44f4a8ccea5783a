"""Score of a hit: the probability that the passage is about what was asked, on one scale in every mode.

Evidence is counted in z-scores: that of the cosine above the highest that chance gives among so many passages, and what
words and names add. A word that no passage holds speaks against all of them, and a passage in another script than the query
needs more. Where the evidence of the best passage is below 0 all hits are less likely, and where it is far below there are none.

The constants were chosen with `bench/fusion_features.py` (2026-11); docs/quality.md has the figures.
Used by `fusion` and by `SearchRetriever`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence

from kebab_core import ChunkId, CodeRole, DocumentId, SearchMode

from kebab_search.lexical_search import QueryAnalysis
from kebab_search.query import is_bound
from kebab_search.ranking import FIRST_POOL, Candidate, pool_of
from kebab_search.term_weights import SMALL_CORPUS

SCORE = "score@17"
"""Version of the score. Change it with the score, so that older cursors become stale."""
_SHARE = 3.0
"""Evidence of all words of the query in one sentence, and of a query that is a heading."""
_BM25 = 1.0
"""Evidence of the passage with the highest BM25, boosts included, in the order of passages; of others in proportion. Some passage
always has the highest, so that it does not decide whether anything is a hit."""
_NAME = 5.0
"""Evidence of a query that is a name of the document; a match counts squared, since half a name says little."""
_NAMED = 0.5
"""Match of a name from which on it counts as the document that a query names."""
_PHRASE = 5.0
"""Evidence, in the order of passages, of one whose text holds the whole query word for word: as much as that of a name.
nDCG@10 by words of CLAP NQ, TyDi in Korean and SciFact stays the same, with a share for a part of the query it does not (2026-11)."""
_SYMBOL = 8.0
"""Evidence of source code that defines what the whole query names."""
_ROLES = {
    None: 0.0,
    CodeRole.DEFINITION: 0.0,
    CodeRole.LEFTOVER: 1.0,
    CodeRole.EXAMPLE: 2.0,
    CodeRole.TEST: 3.0,
    CodeRole.GENERATED: 4.0,
    CodeRole.VENDORED: 4.0,
}
"""Evidence that a passage of source code needs beyond others, by its role; it does not decide whether it is a hit. Without them
behaviour queries over two trees lose 4 points of nDCG@10 of passages, with a quarter of them 3 (2026-11)."""
_UNKNOWN_IN_CODE = 0.5
"""Share of what an unknown word says against passages of source code: descriptions of code have words that code has not."""
_OTHER_SCRIPT = 2.5
"""Evidence that a passage in another script than the query needs beyond others, for the words that it does not hold."""
_LEAST_COMPARED = 1.0
"""Least z-score above chance that the z-score of a passage in another script is compared with."""
_LEAST = -1.5
"""Evidence of the best passage below which nothing is a hit: of right passages hardly one in 200 has less. `docs/quality.md` has the
figures."""
_DOUBTFUL = 0.25
"""Factor of the scores where the evidence of the best passage is below 0: there are more topics that the index lacks than that it has."""
_KEPT = -0.5
"""Evidence, with what orders, from which on a passage stays a hit however much better another one is. Without it HotpotQA, where each
question needs two documents, loses 4 points of nDCG@10 (2026-11)."""
_MIDDLE = 3.2
"""Evidence of the best passage with score 0.5."""
_STEEPNESS = 0.69
LEAST_SCORE = 0.02
"""Score below which a passage is no hit."""
_RAISED_SCORE = 0.025
"""Score below which a passage that is kept is raised, at most to this."""
_LIKELY_SCORE = 0.05
"""Score below which a hit is told apart as less likely."""
_MOST_NAMESAKES = 3
"""Documents of one name from which on it is no name of theirs: `index`, `README`."""
_STEP = 1e-6
"""What parts the score of a document that the query names from the best one of the others."""
_LATIN = re.compile(r"[A-Za-z]")


def chance_z_score(passages: float) -> float:
    """Estimate the highest z-score among so many passages that have nothing to do with a query."""
    return math.sqrt(2 * math.log(max(passages, 1.0)))


def score_candidates(
    candidates: Iterable[Candidate], analysis: QueryAnalysis, *, mode: SearchMode
) -> list[Candidate]:
    """Score candidates in [0, 1]; those that are no hits are left out.

    The score of a passage behind the best one is lowered by how far it is behind. Left out are, in vector mode, passages
    without a vector, and in hybrid mode passages in another script that lexical search does not find and that have no
    evidence to spare, if any candidate is in the script of the query or holds a word of it. Source code stays where nothing
    is in the script of the query.

    Args:
        candidates: In lexical mode with BM25, boosts included; else with z-score, share and name.
        analysis: The query.
        mode: The search that found them.
    """
    if mode is SearchMode.LEXICAL:
        candidates = list(candidates)
        analysis.match.look_up_names(one.passage for one in candidates)
        found = [
            one._replace(
                name=analysis.match.name(one.passage.document),
                heading=analysis.match.heading(one.passage),
                symbol=symbol,
                symbol_match=symbol_match,
            )
            for one in candidates
            for symbol, symbol_match in [analysis.match.symbol(one.passage)]
        ]
        values = _ranked(_lexical_evidence(found, analysis), found, orders_code=True)
    elif mode is SearchMode.VECTOR:
        found = [one for one in candidates if one.z_score is not None]
        # Words do not count here: those of a similar passage speak for it as much as its similarity, on average.
        values = [2 * one.above_chance for one in found]
    else:
        found = list(candidates)
        evidence = _evidence(found, analysis, excesses=_excess_z_scores(found, analysis))
        values = _ranked(evidence, found, orders_code=False)
    values = [value - _ROLES[one.passage.chunk.role] for one, value in zip(found, values, strict=True)]
    best = max(
        (value for one, value in zip(found, values, strict=True) if one.depth <= FIRST_POOL), default=0.0
    )

    # With vectors a document that the query names comes first, and not the documents that mention it.
    has_named = mode is SearchMode.HYBRID and any(one.name >= _NAMED for one in found)

    # Nothing else tells the phrase from its words; what holds no phrase is no farther behind for it.
    phrase = 0.0 if mode is SearchMode.VECTOR or has_named else _PHRASE

    is_small = analysis.corpus_size < SMALL_CORPUS
    is_likely = says_what_is_hit(analysis) or _best_evidence(found, analysis, mode=mode) >= 0

    def is_kept(one: Candidate, value: float) -> bool:
        # What would be a hit alone is no stranger beside a better one, nor is what holds every word; in a small index, where a score
        # proves little, neither is what holds a word or is nearer than chance.
        if value >= min(_KEPT, best - _BM25):
            return True
        if is_small and (one.lexical_rank is not None or one.above_chance > 0):
            return True
        return mode is not SearchMode.VECTOR and _has_whole(one, analysis, mode=mode)

    def score_of(one: Candidate, value: float) -> float:
        behind = value - max(0.0, best - value)
        score = (1 if is_likely else _DOUBTFUL) / (1 + math.exp(-_STEEPNESS * (behind - _MIDDLE)))
        if score < _RAISED_SCORE and is_kept(
            one, value
        ):  # not to the same for all, so that their order stays
            return LEAST_SCORE + score * (1 - LEAST_SCORE / _RAISED_SCORE)
        return score

    has_words = any(one.share or not one.is_cross_script for one in found if one.depth <= FIRST_POOL)
    needs_evidence = mode is SearchMode.HYBRID and has_words and best >= _LEAST
    # Names and comments of source code are in Latin letters whatever language its readers ask in.
    spares_code = not _share_of_script(found, analysis)
    least = _OTHER_SCRIPT - _against_others(found, analysis) if needs_evidence else -math.inf
    scored = [
        one._replace(score=score_of(one, lifted))
        for one, value in zip(found, values, strict=True)
        for lifted in [value + (phrase and phrase * analysis.match.has_phrase(one.passage))]
        if value + _ROLES[one.passage.chunk.role] >= least
        or one.lexical_rank is not None
        or not one.is_cross_script
        or (spares_code and one.passage.chunk.role is not None)
    ]
    return scored if mode is SearchMode.VECTOR else _put_namesakes_first(scored, analysis)


def _put_namesakes_first(scored: Sequence[Candidate], analysis: QueryAnalysis) -> list[Candidate]:
    """Raise the best passage of each document whose whole name is the query above all others, in their order.

    Of source code the definition that the query names stays first. A name that many documents have names none of them.
    """
    best: dict[DocumentId, Candidate] = {}
    for one in scored:
        if one.depth <= FIRST_POOL and analysis.match.is_name(one.passage.document):
            doc_id = one.passage.document.doc_id
            best[doc_id] = max(best.get(doc_id, one), one, key=lambda each: each.score)
    if not 0 < len(best) <= _MOST_NAMESAKES or any(one.symbol is not None for one in scored):
        return list(scored)
    raised = {one.chunk_id for one in best.values()}
    top = max((one.score for one in scored if one.passage.document.doc_id not in best), default=0.0)
    return [
        one._replace(score=max(one.score, min(1.0, top + _STEP * (1 + one.score))))
        if one.chunk_id in raised
        else one
        for one in scored
    ]


def keep_hits(
    candidates: Sequence[Candidate], analysis: QueryAnalysis, *, by_surface: Collection[ChunkId]
) -> tuple[list[Candidate], list[Candidate]]:
    """Part scored candidates into those that are hits and those that are too unlikely.

    The result ends with the first pool that holds one below `LEAST_SCORE`: those further down in either index are not looked at,
    so that the end does not depend on how many hits are asked for. A query that says itself what is a hit keeps all.

    Args:
        candidates: With the score of a probability.
        analysis: The query.
        by_surface: Candidates of the first pool, however deep they are.
    """
    if says_what_is_hit(analysis):
        return list(candidates), []
    pools = [FIRST_POOL if one.chunk_id in by_surface else pool_of(one.depth) for one in candidates]
    ends = [pool for one, pool in zip(candidates, pools, strict=True) if one.score < LEAST_SCORE]
    end = min(ends, default=math.inf)
    kept, left_out = list[Candidate](), list[Candidate]()
    for one, pool in zip(candidates, pools, strict=True):
        is_hit = one.symbol is not None or (pool <= end and one.score >= LEAST_SCORE)
        (kept if is_hit else left_out).append(one)
    return kept, left_out


def is_less_likely(candidate: Candidate, analysis: QueryAnalysis) -> bool:
    """True for a hit that is told apart from those that are likely right: its score is below `_LIKELY_SCORE`."""
    return candidate.score < _LIKELY_SCORE and not says_what_is_hit(analysis)


def says_what_is_hit(analysis: QueryAnalysis) -> bool:
    """True if a query binds its hits, by phrases, syntax or the beginning of a word."""
    return is_bound(analysis.parsed) or bool(analysis.parsed.prefixes)


def has_evidence(
    candidates: Sequence[Candidate],
    analysis: QueryAnalysis,
    *,
    mode: SearchMode,
    asks_for_language: bool = False,
) -> bool:
    """True if something speaks for the best passage, one holds every word, or the query says itself what is a hit.

    Only candidates for the first places count, so that it does not depend on how many hits are asked for.

    Args:
        candidates: As for `score_candidates`.
        analysis: The query.
        mode: The search that found them.
        asks_for_language: True for a query in one script that asks for passages in another, whose words cannot speak.
    """
    if says_what_is_hit(analysis) or asks_for_language:
        return any(one.depth <= FIRST_POOL for one in candidates)
    return _best_evidence(candidates, analysis, mode=mode) >= _LEAST


def _best_evidence(candidates: Sequence[Candidate], analysis: QueryAnalysis, *, mode: SearchMode) -> float:
    """Return the evidence of the best passage for the first places; infinite where one holds every word, or defines what is named."""
    if any(analysis.match.symbol(one.passage)[0] is not None for one in candidates):  # by name, however deep
        return math.inf
    first = [one for one in candidates if one.depth <= FIRST_POOL]
    values = _lexical_evidence(first, analysis) if mode is SearchMode.LEXICAL else _evidence(first, analysis)
    share = _share_of_script(candidates, analysis)
    # Beside passages in the script of the query one in another script is no hit by less evidence than chance gives.
    best = max(
        (
            value
            for one, value in zip(first, values, strict=True)
            if value >= 0 or not (share and one.is_cross_script)
        ),
        default=-math.inf,
    )
    # The share of a passage takes time by words alone, and more evidence than likely changes nothing.
    is_whole = best < 0 and any(_has_whole(one, analysis, mode=mode) for one in first)
    return math.inf if is_whole else best


def _has_whole(one: Candidate, analysis: QueryAnalysis, *, mode: SearchMode) -> bool:
    """True for a passage that holds every word; by words alone candidates come without their share."""
    return analysis.match.has_whole(one.passage) if mode is SearchMode.LEXICAL else one.share >= 1


def _evidence(
    candidates: Sequence[Candidate], analysis: QueryAnalysis, *, excesses: Sequence[float] | None = None
) -> list[float]:
    """Compute the evidence of hybrid search for each candidate.

    A passage in another script cannot hold the words, and one in the script of the query would be more likely; how much
    either says depends on how many passages could. It says nothing where only passages in other scripts are searched.

    Args:
        candidates: The candidates.
        analysis: The query.
        excesses: The excess z-score of each, in [0, 1]; None is 0 for all.
    """
    share = _share_of_script(candidates, analysis)
    unknown = _unknown_words(analysis)
    other = _against_others(candidates, analysis)
    values = []
    for one, excess in zip(candidates, excesses or [0.0] * len(candidates), strict=True):
        missing = unknown if one.passage.chunk.role is None else _UNKNOWN_IN_CODE * unknown
        against = missing
        if one.is_cross_script:
            against = share * missing + other * max(0.0, 1 - one.share - excess) - _BM25 * excess
        values.append(one.above_chance + _SHARE * one.share + _of_names(one) - against)
    return values


def _excess_z_scores(candidates: Sequence[Candidate], analysis: QueryAnalysis) -> list[float]:
    """Compute for each candidate the excess z-score of a passage in another script, in [0, 1].

    It is the z-score above chance less the highest of the first candidates in the script of the query, which counts as
    `_LEAST_COMPARED` at least. At 1 the passage needs no more evidence than others, and has what the highest BM25 gives: a
    passage in the script of the query may hold a few of its words without an answer, and one in another script holds none.

    The excess z-score is 0 for all passages where words tell them apart: one in another script holds words of a query with Latin
    letters, or any holds all words; and where a candidate in the script of the query has no vector. It is 0 for source code. It can
    make a hit of a passage beside other hits, but does not decide whether there are any. `docs/quality.md` has the figures.
    """
    first = [one for one in candidates if one.depth <= FIRST_POOL]
    own = [one for one in first if not one.is_cross_script]
    has_latin = _LATIN.search(analysis.words) is not None
    is_found_by_words = any(
        one.share >= 1 or (has_latin and one.share > 0 and one.is_cross_script) for one in first
    )
    if not own or is_found_by_words or any(one.z_score is None for one in own):
        return [0.0] * len(candidates)
    highest = max(_LEAST_COMPARED, *(one.above_chance for one in own))
    return [
        min(1.0, max(0.0, one.above_chance - highest))
        if one.is_cross_script and one.passage.chunk.role is None
        else 0.0
        for one in candidates
    ]


def _ranked(evidence: Iterable[float], candidates: Sequence[Candidate], *, orders_code: bool) -> list[float]:
    """Compute for each candidate its evidence for the order: with the BM25 of a passage, boosts included, over the highest of the first pool.

    Beside meaning source code goes without: how often a definition repeats a word says little of what it does. With it behaviour
    queries over four trees lose 2 points of nDCG@10 of passages, by words alone they gain 5 (2026-11).
    """
    best = max(_first_bm25(candidates), default=0.0)
    return [
        value
        + (_BM25 * one.score / best if best > 0 and (orders_code or one.passage.chunk.role is None) else 0.0)
        for one, value in zip(candidates, evidence, strict=True)
    ]


def _first_bm25(candidates: Iterable[Candidate]) -> list[float]:
    """List the BM25, boosts included, of the candidates of a first pool: the same however many hits are asked for."""
    return [
        one.score for one in candidates if one.lexical_rank is not None and one.lexical_rank <= FIRST_POOL
    ]


def _share_of_script(candidates: Sequence[Candidate], analysis: QueryAnalysis) -> float:
    """Compute the share of passages in the script of the query; 0 where only others are searched."""
    is_asked_of_others = all(one.is_cross_script for one in candidates if one.depth <= FIRST_POOL)
    return 0.0 if is_asked_of_others else analysis.script_share


def _against_others(candidates: Sequence[Candidate], analysis: QueryAnalysis) -> float:
    """Compute what speaks against a passage in another script than the query that holds no word of it."""
    return _OTHER_SCRIPT * _reliance(_share_of_script(candidates, analysis) * analysis.corpus_size)


def _reliance(passages: float) -> float:
    """Compute how much it says, in [0, 1), that none of so many passages fits: a few notes know few words."""
    return passages / (passages + SMALL_CORPUS)


def _unknown_words(analysis: QueryAnalysis) -> float:
    """Compute what speaks against all passages: the share of words that none holds."""
    passages = analysis.corpus_size
    return _reliance(passages) * chance_z_score(passages) * (1 - analysis.weighted.known_share)


def _lexical_evidence(candidates: Sequence[Candidate], analysis: QueryAnalysis) -> list[float]:
    """Compute the evidence of lexical search for each candidate.

    In place of the share it has the BM25, boosts included, above that of the weakest of a full first pool, over the most
    that all words weigh: what any of many passages holds says nothing.
    """
    pool = _first_bm25(candidates)
    weakest = min(pool) if len(pool) >= FIRST_POOL else 0.0
    query = analysis.weighted
    most = math.fsum(word.weight for word in query.forms) + query.prefix_weight * len(query.prefixes)
    most = max(1.0, most)
    unknown = _unknown_words(analysis)
    best = max(pool, default=0.0)
    # A definition holds its name once, and counts as if it held it as often as any passage does.
    return [
        _SHARE * (max(one.score, best * one.symbol_match) - weakest) / most + _of_names(one) - unknown
        for one in candidates
    ]


def _of_names(candidate: Candidate) -> float:
    names = max(_NAME * candidate.name**2, _SHARE * candidate.heading**2)
    return max(names, _SYMBOL * candidate.symbol_match)

"""Why a query does not find a file that is indexed, and where it stands where it does; each reason with its fix."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_core import (
    InvalidInputError,
    NotIndexedError,
    SearchFilters,
    SearchMode,
    SearchQuery,
)
from kebab_testing.families import examples

from tests.remedies import say

if TYPE_CHECKING:
    from kebab_diagnose import Explanation, ExplanationStep, QueryTerm

    from conftest import Base, Embedding

WORDS = ["apple", "river", "stone", "cloud", "색인", "규칙", "청크", "회의"]
MODES = list(SearchMode)


def ask(
    base: Base, name: str, text: str, mode: SearchMode = SearchMode.LEXICAL, **fields: object
) -> Explanation:
    query = SearchQuery.model_validate({"text": text, "mode": mode, **fields})
    return base.app.why(name, query=query)


def step(report: Explanation, name: str) -> ExplanationStep:
    (found,) = [step for step in report.steps if step.name == name]
    return found


def terms(report: Explanation) -> dict[str, QueryTerm]:
    return {term.text: term for term in report.terms or ()}


@pytest.fixture
def library(base: Base) -> Base:
    """Notes by words alone."""
    base.write(
        "apple.md", "---\ntags: [fruit]\n---\n# Apple\n\nAn apple a day.\n\n## Pie\n\nBake the apple pie.\n"
    )
    base.write("river.md", "# River\n\nThe river runs past an apple tree.\n")
    base.write(
        "색인.md", "# 색인\n\n색인은 파일이 바뀌면 다시 만들어진다.\n\n## 규칙\n\n청크는 제목에서 나눈다.\n"
    )
    base.ingest()
    return base


def test_file_that_is_found_is_told_with_its_rank_and_the_words_it_holds(library: Base) -> None:
    report = ask(library, "apple.md", "apple pie unicorn tree")
    assert (report.verdict, report.can_be_found) == ("found", True)
    assert report.summary == "apple.md is found: its best passage is hit 1 of 2"
    assert step(report, "order").detail == "its best passage is hit 1 of 2"
    met = terms(report)
    assert met["pie"].passages == (1,)
    assert met["apple"].passages == (0, 1)
    assert (met["apple"].in_index, met["unicorn"].in_index, met["unicorn"].searched) == (3, 0, False)
    assert met["tree"].passages == ()
    assert report.passages[1].terms is not None
    assert set(report.passages[1].terms) >= {"apple", "pie"}
    assert "in no passage of the index: unicorn" in step(report, "words").detail
    assert "only in other files: tree" in step(report, "words").detail
    (leg,) = report.legs or ()
    assert (leg.mode, leg.rank, leg.looked_at, leg.matches, leg.filtered) == (
        SearchMode.LEXICAL,
        1,
        2,
        True,
        True,
    )
    assert leg.chunk_id == report.passages[1].chunk_id


def test_korean_question_is_told_by_its_morphemes(library: Base) -> None:
    report = ask(library, "색인.md", "색인은 언제 다시 만들어지나요?")
    assert report.verdict == "found"
    assert terms(report)["색인"].passages == (0, 1)


def test_filter_that_keeps_a_file_out_is_named_with_what_the_file_has(library: Base) -> None:
    report = ask(
        library, "apple.md", "apple", filters={"lang": ["ko"], "tags_any": ["fruits"], "media": ["markdown"]}
    )
    assert report.verdict == "filtered_out"
    assert say(report) == "search without --tag and --lang, or did you mean 'fruit'?"
    assert "--lang (the file has en)" in step(report, "filters").detail
    assert "--tag (the file has fruit)" in step(report, "filters").detail
    untagged = ask(library, "river.md", "apple", filters={"tags_any": ["fruit"]})
    assert "--tag (the file has no tags)" in step(untagged, "filters").detail
    later = {"ingested_after": library.clock.now() + timedelta(days=1)}
    late = step(ask(library, "apple.md", "apple", filters=later), "filters").detail
    assert f"(the file has {library.clock.now():%Y-%m-%d %H:%M:%S} UTC)" in late
    assert "--media" not in step(report, "filters").detail
    (leg,) = report.legs or ()
    assert (leg.rank, leg.filtered) == (1, False)
    assert step(report, "order").detail.endswith("without these filters")
    passed = ask(library, "apple.md", "apple", filters={"lang": ["en"]})
    assert (passed.verdict, step(passed, "filters").state) == ("found", "ok")


def test_file_that_holds_no_word_is_told_with_words_that_it_has(library: Base) -> None:
    report = ask(library, "river.md", "청크")
    assert (report.verdict, report.can_be_found) == ("no_match", False)
    assert say(report) == 'ask with words that stand in it, such as those of its title: "River"'
    assert step(report, "words").detail == "0 of 1 occur in it; only in other files: 청크"
    assert ask(library, "river.md", "River").verdict == "found"


def test_phrase_that_does_not_stand_in_it_is_told(library: Base) -> None:
    report = ask(library, "apple.md", '"apple tree" pie')
    assert report.verdict == "no_match"
    assert say(report) == "search without the quotation marks"
    assert terms(report)["apple tree"].kind == "phrase"
    assert ask(library, "apple.md", "apple tree pie").verdict == "found"


def test_phrases_that_stand_in_different_passages_are_told(library: Base) -> None:
    report = ask(library, "apple.md", '"apple a day" "bake the apple"')
    assert (report.verdict, say(report)) == ("no_match", "search without the quotation marks")
    assert step(report, "order").detail == "none of its passages contains every phrase"


def test_syntax_of_the_users_own_is_told_whole(library: Base) -> None:
    report = ask(library, "river.md", "raw: pie AND tree")
    assert report.verdict == "no_match"
    assert step(report, "order").detail.endswith("full-text syntax asks for: pie AND tree")
    assert say(report) == "search in plain words, without raw: or the single quotes around it"
    assert [(term.kind, term.text) for term in report.terms or ()] == [("raw", "pie AND tree")]
    with pytest.raises(InvalidInputError):
        ask(library, "river.md", "raw: apple AND (")


def test_empty_query_is_an_error(library: Base) -> None:
    with pytest.raises(InvalidInputError):
        ask(library, "river.md", " ")


def test_gate_of_answers_is_told(library: Base) -> None:
    assert step(ask(library, "apple.md", "apple pie dragon castle"), "answer").state == "ok"
    library.close()
    library.config["rag"] = {"score_gate": 0.9}
    assert step(ask(library, "apple.md", "apple pie"), "answer").state == "ok"
    report = ask(library, "apple.md", "apple pie dragon castle")
    assert (report.verdict, step(report, "answer").state) == ("found", "note")
    assert say(report) == "search finds it; for an answer, rephrase using the file's own words"
    assert not [one for one in ask(library, "apple.md", "raw: apple").steps if one.name == "answer"]


def test_rank_beyond_k_is_told_with_the_k_that_shows_it(library: Base) -> None:
    report = ask(library, "river.md", "apple", k=1)
    assert report.verdict == "beyond_k"
    rank = (report.legs or ())[-1].rank
    assert say(report) == f"--k {rank}"
    assert rank is not None
    shown = ask(library, "river.md", "apple", k=rank)
    assert shown.verdict == "found"
    hits = library.app.search(SearchQuery(text="apple", mode=SearchMode.LEXICAL, k=rank)).hits
    assert hits[-1].doc_path == "river.md"


def test_budget_that_drops_a_hit_is_told(library: Base) -> None:
    report = ask(library, "river.md", "apple", max_tokens=1)
    assert report.verdict == "over_budget"
    assert "--max-tokens" in str(say(report))
    assert ask(library, "river.md", "apple", max_tokens=100_000).verdict == "found"


def test_file_that_matches_below_all_that_is_looked_at_is_told(base: Base) -> None:
    base.write("many.md", "".join(f"## n{number}\n\napple apple apple\n\n" for number in range(1400)))
    base.write("one.md", f"# Nothing\n\n{'a word that nobody asks for ' * 40} apple\n")
    base.ingest()
    assert ask(base, "one.md", "apple").summary == "one.md is found: it is hit 2 of 2"
    report = ask(base, "one.md", "apple", all_passages=True)
    assert report.verdict == "too_deep"
    (leg,) = report.legs or ()
    assert (leg.rank, leg.matches) == (None, True)
    assert leg.looked_at >= 1000
    assert report.document is not None
    assert str(say(report)).endswith(f"--doc-id {report.document.doc_id}")
    alone = ask(base, "one.md", "apple", filters={"doc_id": [report.document.doc_id]})
    assert alone.verdict == "found"


def test_file_that_is_told_beside_its_translation_is_found_by_that(base: Base) -> None:
    base.write("en/guide.md", "# Rivers\n\nThe river runs past a stone.\n")
    base.write("ko/guide.md", "# 강\n\n강이 stone 곁으로 흐른다. 그리고 아무 일도 일어나지 않는다.\n")
    base.ingest()
    report = ask(base, "ko/guide.md", "river stone")
    assert report.summary == "ko/guide.md is found: its copy or translation en/guide.md is hit 1 of 1"
    assert ask(base, "ko/guide.md", "river stone", all_passages=True).summary.endswith("it is hit 2 of 2")


@pytest.fixture
def meant(base: Base, embedding: Embedding) -> Base:
    """Notes with vectors, which stand for words."""
    for number in range(12):
        base.write(f"filler/{number:02}.md", f"weather gardens music {number} item{number} more{number * 7}")
    base.write("words.md", "the automobile is parked on sunday")
    base.write("other.md", "nothing of the kind is here")
    base.ingest()
    assert embedding.counts().pending == 0
    return base


def test_every_leg_is_told_in_hybrid_mode(meant: Base) -> None:
    report = ask(meant, "words.md", "automobile", SearchMode.HYBRID)
    assert report.verdict == "found"
    assert [leg.mode for leg in report.legs or ()] == [
        SearchMode.LEXICAL,
        SearchMode.VECTOR,
        SearchMode.HYBRID,
    ]
    assert [leg.rank for leg in report.legs or ()] == [1, 1, 1]
    assert step(report, "meaning").state == "ok"
    (passage,) = report.passages
    assert passage.z_score is not None
    assert passage.min_z_score is not None
    assert passage.cosine is not None
    assert passage.z_score > passage.min_z_score


def test_file_below_the_minimum_z_score_is_told_with_both(meant: Base) -> None:
    report = ask(meant, "other.md", "automobile", SearchMode.HYBRID)
    assert report.verdict == "below_floor"
    assert ", minimum " in step(report, "meaning").detail
    (passage,) = report.passages
    assert passage.z_score is not None
    assert passage.min_z_score is not None
    assert passage.z_score < passage.min_z_score
    assert "such as those of its title" in str(say(report))


def test_words_are_not_blamed_where_only_meaning_is_asked_for(meant: Base) -> None:
    meant.write("long.md", " ".join(["zebra", *(f"word{number}" for number in range(150))]))
    meant.ingest()
    report = ask(meant, "long.md", "zebra automobile parked", SearchMode.VECTOR)
    assert (report.verdict, say(report)) == (
        "below_floor",
        "--mode hybrid",
    )
    assert step(report, "order").detail.startswith(
        "vector mode does not search words, and its similarity z-score"
    )
    assert step(report, "words").detail.endswith("vector mode does not search them")
    assert ask(meant, "long.md", "zebra automobile parked", SearchMode.HYBRID).verdict == "found"
    strange = ask(meant, "other.md", "automobile", SearchMode.VECTOR)
    assert strange.verdict == "below_floor"
    assert str(say(strange)).startswith("--mode hybrid; then ask with words that stand in it")


@pytest.mark.parametrize("mode", [SearchMode.HYBRID, SearchMode.VECTOR])
@pytest.mark.parametrize(
    ("text", "detail", "fix"),
    [
        (
            '"automobile is here"',
            'the phrase "automobile is here" occurs in none',
            "without the quotation marks",
        ),
        ("automob*", 'no word in it begins with "automob"', "in whole words, without *"),
        ("raw: automobile", "full-text syntax asks for: automobile", "in plain words, without raw:"),
    ],
)
def test_query_that_says_what_a_hit_must_hold_has_no_minimum_z_score(
    meant: Base, mode: SearchMode, *, text: str, detail: str, fix: str
) -> None:
    report = ask(meant, "other.md", text, mode)
    assert report.verdict == "no_match"
    assert detail in step(report, "order").detail
    assert fix in str(say(report))
    assert "minimum" not in step(report, "meaning").detail
    assert [passage.min_z_score for passage in report.passages] == [None]
    found = ask(meant, "words.md", "automob*", mode)
    assert (found.verdict, step(found, "meaning").state) == ("found", "ok")


def test_file_without_vectors_yet_that_holds_no_word_is_told_with_the_command(meant: Base) -> None:
    meant.write("late.md", "a car at the lake")
    meant.ingest(embed=False)
    for mode in (SearchMode.HYBRID, SearchMode.VECTOR):
        report = ask(meant, "late.md", "automobile", mode)
        assert (report.verdict, say(report)) == ("vectors_pending", "kebab embed")
    assert ask(meant, "late.md", "lake", SearchMode.HYBRID).verdict == "found"


def test_missing_model_is_told_and_words_go_on(library: Base) -> None:
    report = ask(library, "apple.md", "apple", SearchMode.HYBRID)
    assert report.verdict == "found"
    assert step(report, "meaning").state == "note"
    hybrid = (report.legs or ())[-1]
    assert hybrid.failure is not None
    assert hybrid.rank == 1
    alone = ask(library, "apple.md", "apple", SearchMode.VECTOR)
    assert alone.verdict == "not_searchable"
    assert "kebab embed" in str(say(alone))


def test_index_of_another_analyser_is_told_with_the_command(library: Base) -> None:
    with library.app.base.open_for_writing().writing() as connection:
        connection.execute("UPDATE documents SET analyzer_version = 'ko-en@0'")
    report = ask(library, "apple.md", "apple")
    assert (report.verdict, say(report)) == ("not_searchable", "kebab ingest")


def test_query_about_a_file_that_is_not_indexed_ends_where_its_way_ends(library: Base) -> None:
    library.write("late.md", "an apple")
    report = ask(library, "late.md", "apple")
    assert (report.verdict, report.legs, report.terms) == ("not_ingested", None, None)
    assert report.query is not None


_PARAGRAPHS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
_DOCUMENTS = st.lists(st.lists(_PARAGRAPHS, min_size=1, max_size=3), min_size=1, max_size=4)
_QUERIES = st.lists(
    st.sampled_from([*WORDS, "unicorn", '"apple river"', "sto*"]), min_size=1, max_size=4
).map(" ".join)


@pytest.mark.thorough
@settings(
    max_examples=examples(12),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    documents=_DOCUMENTS,
    queries=st.lists(_QUERIES, min_size=1, max_size=2),
    k=st.integers(1, 6),
    late=st.booleans(),
)
def test_rank_that_is_told_is_the_rank_that_search_gives(
    base: Base, embedding: Embedding, *, documents: list[list[str]], queries: list[str], k: int, late: bool
) -> None:
    for old in base.root.glob("*.md"):
        old.unlink()
    for number, paragraphs in enumerate(documents):
        body = "\n\n".join(f"## {at}\n\n{text}" for at, text in enumerate(paragraphs))
        base.write(f"{number}.md", body)
    base.ingest(prune=True, embed=not late)
    for text in queries:
        for mode in MODES:
            _assert_told_truly(base, text, mode, k=k, count=len(documents))


def _assert_told_truly(base: Base, text: str, mode: SearchMode, *, k: int, count: int) -> None:
    query = SearchQuery(text=text, mode=mode, k=1000)
    hits = ()
    with suppress(NotIndexedError):  # without any vector there is nothing to look for by meaning
        hits = base.app.search(query).hits
    shown = {hit.doc_path for hit in hits[:k]}
    for number in range(count):
        name = f"{number}.md"
        expected = next((hit for hit in hits if hit.doc_path == name), None)
        report = ask(base, name, text, mode, k=k, filters=SearchFilters())
        leg = (report.legs or ())[-1]
        assert leg.rank == (expected.rank if expected else None)
        # alone it may be a hit, and beside better ones too unlikely
        assert leg.matches or expected is None
        assert report.can_be_found is (name in shown)
        if expected is not None:
            assert (leg.score, leg.score_kind) == (expected.score, expected.score_kind)
            assert leg.chunk_id == expected.chunk_id
        else:
            assert say(report)

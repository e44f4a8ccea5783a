"""Documents found by name: exactly, in part, by initial consonants, and with typing errors."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import pytest
from hypothesis import given, strategies as st
from kebab_core import DocumentEntry
from kebab_documents import NameIndex, NameMatch
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores
from kebab_text import near_spellings

NAMES = {
    "meetings/2026-10-05 주간 회의록.md": ("주간 회의록", ()),
    "meetings/회의실 예약.md": ("회의실 예약", ()),
    "policy/refund-policy.md": ("Refund policy", ("money back",)),
    "policy/privacy.md": ("Privacy policy", ()),
    "kubernetes/deployment.md": ("Rolling out", ("k8s deploys",)),
    "a.md": ("Deployment", ()),
}
letters = st.text("ab가각힣ㄱ 1-_.", max_size=6)


def entries(names: dict[str, tuple[str, tuple[str, ...]]] = NAMES) -> list[DocumentEntry]:
    store = TemporaryStores().documents
    for path, (title, aliases) in names.items():
        store.replace_document(build_record(RecordSpec(path=path, title=title, aliases=aliases)))
    return store.list_entries()


@walk(
    ("query", "path", "match"),
    [
        ("deployment", "a.md", NameMatch.WHOLE),
        ("Ｄé­ployment", "a.md", NameMatch.WHOLE),
        ("5 October", "meetings/2026-10-05 주간 회의록.md", NameMatch.WORD_START),
        ("2026년 10월 5일", "meetings/2026-10-05 주간 회의록.md", NameMatch.START),
        ("DEPLOY", "a.md", NameMatch.START),
        ("회의록", "meetings/2026-10-05 주간 회의록.md", NameMatch.WORD_START),
        ("의록", "meetings/2026-10-05 주간 회의록.md", NameMatch.PART),
        ("money", "policy/refund-policy.md", NameMatch.START),
        ("policy refund", "policy/refund-policy.md", NameMatch.WORDS),
        ("kubernetes rolling", "kubernetes/deployment.md", NameMatch.WORDS),
        ("ㅎㅇㄹ", "meetings/2026-10-05 주간 회의록.md", NameMatch.INITIALS),
        ("ㅈㄱㅎㅇㄹ", "meetings/2026-10-05 주간 회의록.md", NameMatch.INITIALS),
        ("ㅈㄱ ㅎㅇㄹ", "meetings/2026-10-05 주간 회의록.md", NameMatch.INITIALS),
        ("rfdpol", "policy/refund-policy.md", NameMatch.LETTERS),
        ("deploymnet", "a.md", NameMatch.SIMILAR),
        ("refnud polcy", "policy/refund-policy.md", NameMatch.SIMILAR),
        ("회읠실", "meetings/회의실 예약.md", NameMatch.SIMILAR),
        (unicodedata.normalize("NFD", "회의실"), "meetings/회의실 예약.md", NameMatch.START),
    ],
)
def test_a_name_is_found_by(query: str, path: str, match: NameMatch) -> None:
    found = NameIndex(entries()).find(query, limit=10)
    assert (str(found[0].entry.doc_path), found[0].match) == (path, match)


@walk("query", ["", "  ", "-", "zzzzqqqq", "ㅋㅋㅋ", "회계사", "refund zzzz"])
def test_nothing_is_found_by_what_is_no_name(query: str) -> None:
    assert NameIndex(entries()).find(query, limit=10) == []


def test_better_matches_come_first_and_of_equal_ones_the_shorter_name() -> None:
    names = {"x/policy draft.md": ("t", ()), "y/policy.md": ("t", ()), "z/policy a.md": ("t", ())}
    found = NameIndex(entries(names)).find("policy", limit=2)
    assert [str(one.entry.doc_path) for one in found] == ["y/policy.md", "z/policy a.md"]


@given(st.dictionaries(letters, st.tuples(letters, st.tuples(letters)), max_size=6), letters)
def test_every_document_is_found_by_each_of_its_names(
    names: dict[str, tuple[str, tuple[str]]], query: str
) -> None:
    listed = entries({
        f"d{at}/{key}x.md": (title, aliases) for at, (key, (title, aliases)) in enumerate(names.items())
    })
    for entry in listed:
        for name in (entry.doc_path.stem, entry.title, *entry.aliases):
            found = NameIndex(listed).find(name, limit=len(listed))
            assert entry.doc_id in {one.entry.doc_id for one in found} or not name.strip(" -_.")
    found = NameIndex(listed).find(query, limit=3)
    assert len(found) <= 3
    assert [one.match for one in found] == sorted((one.match for one in found), reverse=True)


@pytest.mark.parametrize(
    ("query", "looked_up"),
    [
        ("deploymnet " * 900, 1),
        (" ".join(f"unknown{n}" for n in range(900)), 1),
        ("refnud polcy " * 300, 2),
        ("refnud polcy unknown deploymnet", 3),
    ],
)
def test_of_many_words_each_is_looked_up_once_and_none_after_the_first_that_no_name_has(
    query: str, looked_up: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    words: list[str] = []

    def look_up(word: str, others: Iterable[str]) -> dict[str, int]:
        words.append(word)
        return near_spellings(word, others)

    monkeypatch.setattr("kebab_documents.name_search.near_spellings", look_up)
    NameIndex(entries()).find(query, limit=9)
    assert len(words) == looked_up

"""Questions with the lines that answer them (`bench/questions`), read, checked and counted.

`python -m bench.question_sets --corpora FOLDER [--seal]` says which rows are wrong and how many there are of each kind, language and
part; `--seal` writes the hashes of the pages.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from kebab_core import CellCitation, Citation, LineCitation, parse_cells

Part = Literal["fit", "choose", "report"]
QUESTIONS = Path(__file__).parent / "questions"
KINDS = (
    "fact", "amount", "when", "who", "how", "why", "list", "table", "comparison", "code", "yes_no", "newest", "follow_up",
)  # fmt: skip
CORPORA = {
    "fastapi-en": "md/fastapi-en",
    "fastapi-ko": "md/fastapi-ko",
    "wiki-ko": "vaults/wiki-ko",
    "cppdocs-en": "md/cppdocs-en",
    "cppdocs-ko": "md/cppdocs-ko",
}
FOLDERS: Mapping[str, Part | None] = {
    "person": None,
    "cafe": "fit",
    "farm": "fit",
    "handbook": "fit",
    "house": "fit",
    "lab": "fit",
    "museum": "fit",
    "press": "fit",
    "studio": "fit",
    "care": "choose",
    "parent": "choose",
    "campus": "report",
    "club": "report",
    "teacher": "report",
}
"""Folders of people, which lie beside the questions, with the part that all of their pages belong to; None divides them by path."""
MANNERS = {"paraphrase", "merged", "yes_no", "numbers", "list", "table", "context", "close", "derived"}
WRONG = {"value", "date", "unit", "subject", "polarity", "scope", "cause", "invented", "exchange"}
MOST_LINES = 40
"""Of the ranges of one place; an answer is quoted, not a page."""
_PARTS: Sequence[Part] = ("fit",) * 5 + ("choose",) * 2 + ("report",) * 3


@dataclass(frozen=True, kw_only=True)
class Place:
    """Lines of a page: ranges with both ends included, counted from 1."""

    corpus: str
    path: str
    lines: tuple[tuple[int, int], ...]


def cited_lines(citation: Citation) -> tuple[int, int] | None:
    """Return the first and last line of a citation, which are the rows of cells of a table in a text; None of anything else."""
    if isinstance(citation, LineCitation):
        return citation.start, citation.end
    if (
        isinstance(citation, CellCitation)
        and citation.cells
        and str(citation.path).endswith((".csv", ".tsv"))
    ):
        first, _, last, _ = parse_cells(citation.cells)
        return first, last
    return None


@dataclass(frozen=True, kw_only=True)
class JudgedClaim:
    """A claim of a chat model with the lines that it cites, and whether they support it."""

    id: str
    question: str
    text: str
    language: str
    cited: Place
    is_right: bool
    manner: str
    """How it was written; see the README."""
    wrong: str | None
    """What is wrong with it; None for a right one."""

    @property
    def part(self) -> Part:
        """The part of its page."""
        return part_of(self.cited)


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question with the places that answer it; none for a near miss."""

    id: str
    text: str
    language: str
    kind: str
    page: Place
    """The page it was written for, with lines unless it is a near miss."""
    also: tuple[Place, ...]
    earlier: str | None
    answer: str

    @property
    def is_answerable(self) -> bool:
        """Whether the page answers it."""
        return bool(self.page.lines)

    @property
    def part(self) -> Part:
        """The part of its page."""
        return part_of(self.page)


def part_of(page: Place) -> Part:
    """Return the part of a page: that of its folder, or by its path, which pages in two languages share."""
    by_path = _PARTS[int(hashlib.sha256(page.path.encode()).hexdigest(), 16) % 10]
    return FOLDERS.get(page.corpus) or by_path


def read_questions(*parts: Part, folder: Path = QUESTIONS) -> list[Question]:
    """Read the questions of some parts, of all where none is named, in the order of files and lines."""
    found = [_question(file.stem, number, row) for file, number, row in _rows(folder)]
    return [each for each in found if not parts or each.part in parts]


def read_claims(*parts: Part, folder: Path = QUESTIONS / "claims") -> list[JudgedClaim]:
    """Read the claims of some parts, of all where none is named, in the order of files and lines."""
    found = [
        JudgedClaim(
            id=f"{file.stem}:{number}",
            question=row["question"],
            text=row["claim"],
            language=row["language"],
            cited=_place(row),
            is_right=row["right"],
            manner=row["manner"],
            wrong=row.get("wrong"),
        )
        for file, number, row in _rows(folder)
    ]
    return [each for each in found if not parts or each.part in parts]


def _rows(folder: Path) -> Iterator[tuple[Path, int, Mapping[str, Any]]]:
    for file in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            yield file, number, json.loads(line)


def _question(name: str, number: int, row: Mapping[str, Any]) -> Question:
    return Question(
        id=f"{name}:{number}",
        text=row["question"],
        language=row["language"],
        kind=row["kind"],
        page=_place(row),
        also=tuple(map(_place, row.get("also", ()))),
        earlier=row.get("earlier"),
        answer=row.get("answer", ""),
    )


def _place(row: Mapping[str, Any]) -> Place:
    lines = tuple((first, last) for first, last in row.get("lines", ()))
    return Place(corpus=row["corpus"], path=row["path"], lines=lines)


def folder_of(corpus: str, corpora: Path) -> Path:
    """Return the folder of the pages of a corpus."""
    return QUESTIONS / corpus if corpus in FOLDERS else corpora / CORPORA[corpus]


class _Pages:
    """Pages of the corpora by corpus and path."""

    def __init__(self, corpora: Path) -> None:
        self._corpora = corpora
        self.content = cache(self._read)

    def _read(self, corpus: str, path: str) -> bytes:
        return (folder_of(corpus, self._corpora) / path).read_bytes()

    def lines(self, place: Place) -> list[str]:
        text = self.content(place.corpus, place.path).decode("utf-8", "replace")
        return text.splitlines()


def faults_of(row: Mapping[str, Any], pages: _Pages) -> Iterator[str]:
    """Yield what is wrong with a row."""
    if row.get("kind") not in KINDS:
        yield f"kind {row.get('kind')!r}"
    if row.get("language") not in {"ko", "en"}:
        yield f"language {row.get('language')!r}"
    text = row.get("question", "")
    if not text.strip() or (row.get("language") == "ko") != bool(re.search("[가-힣]", text)):
        yield "the question is not in its language"
    if (row.get("kind") == "follow_up") != bool(row.get("earlier")):
        yield "a follow-up, and no other, has an earlier question"
    if bool(row.get("lines")) != bool(row.get("answer")) or bool(row.get("lines")) == bool(
        row.get("missing")
    ):
        yield "lines and answer go together, and a near miss says what is missing instead"
    for place in (row, *row.get("also", ())):
        yield from _faults_of_place(_place(place), pages, has_lines=bool(row.get("lines")))
    if row.get("sha256") not in {None, hashlib.sha256(pages.content(row["corpus"], row["path"])).hexdigest()}:
        yield "another page than the one that was read"


def faults_of_claim(row: Mapping[str, Any], pages: _Pages) -> Iterator[str]:
    """Yield what is wrong with a row of a claim."""
    if row.get("manner") not in MANNERS or (row.get("wrong") in WRONG) == row.get("right"):
        yield f"manner {row.get('manner')!r}, wrong {row.get('wrong')!r}"
    if (row.get("language") == "ko") != bool(re.search("[가-힣]", row.get("claim", ""))):
        yield "the claim is not in its language"
    yield from _faults_of_place(_place(row), pages, has_lines=True)


def _faults_of_place(place: Place, pages: _Pages, *, has_lines: bool) -> Iterator[str]:
    try:
        lines = pages.lines(place)
    except (OSError, KeyError):
        yield f"no page {place.corpus} {place.path}"
        return
    if has_lines and not place.lines:
        yield f"no lines of {place.path}"
    if sum(last - first + 1 for first, last in place.lines) > MOST_LINES:
        yield f"more than {MOST_LINES} lines"
    for first, last in place.lines:
        if not 1 <= first <= last <= len(lines):
            yield f"lines {first}-{last} of {len(lines)}"
        elif not lines[first - 1].strip() or not lines[last - 1].strip():
            yield f"lines {first}-{last} begin or end blank"


def seal(pages: _Pages, folder: Path = QUESTIONS) -> None:
    """Write the hash of its page into each row."""
    for file in sorted(folder.glob("*.jsonl")):
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        for row in rows:
            row["sha256"] = hashlib.sha256(pages.content(row["corpus"], row["path"])).hexdigest()
        file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the rows; 1 if one is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--seal", action="store_true")
    parser.add_argument("--only", default="", help="beginning of the names of files to check")
    options = parser.parse_args(arguments)
    pages, wrong, seen = _Pages(options.corpora), 0, Counter[str]()
    for file, number, row in _rows(QUESTIONS):
        if not file.name.startswith(options.only):
            continue
        faults = list(faults_of(row, pages))
        if row["question"] in seen:
            faults.append("the question is there twice")
        seen[row["question"]] += 1
        for fault in faults:
            print(f"{file.name}:{number}: {fault}")
        wrong += bool(faults)
    for file, number, row in _rows(QUESTIONS / "claims"):
        for fault in faults_of_claim(row, pages):
            print(f"claims/{file.name}:{number}: {fault}")
            wrong += 1
    if options.seal and not wrong:
        seal(pages)
    _count([each for each in read_questions() if each.id.startswith(options.only)])
    return int(wrong > 0)


def _count(questions: Sequence[Question]) -> None:
    answerable = [each for each in questions if each.is_answerable]
    across = sum(
        each.language != each.page.corpus[-2:] for each in answerable if each.page.corpus not in FOLDERS
    )
    print(
        f"{len(answerable)} answerable ({across} across languages), {len(questions) - len(answerable)} near misses"
    )
    claims = read_claims()
    print(
        f"{sum(each.is_right for each in claims)} right claims, {sum(not each.is_right for each in claims)} wrong ones"
    )
    for of in ("language", "kind", "part"):
        print(of, dict(Counter(getattr(each, of) for each in questions).most_common()))


if __name__ == "__main__":
    raise SystemExit(main())

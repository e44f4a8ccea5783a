"""Search and answers in bases of a few notes, cut from vaults: the table of `bench.vaults` over all of them together.

The pages that the questions of the suites are about are put into bases of at most so many characters, each with its
questions. A question on the subject without an answer is asked where most of its words are, and of the topics that are not
there each base is asked some.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from kebab_app import App, EvaluateOptions
from kebab_core import SearchMode

from bench.vault_suites import digest
from bench.vaults import CACHE, SUITES, Results, open_app, opened_vaults, print_table, read_results

SIZES = (40_000, 100_000)
"""Characters: some 35 to 120 passages, and 80 to 230."""
ABSENT_PER_BASE = 6
ABSENT, NEAR, SEARCH = "absent", "near", "search"
WORD = re.compile(r"\w{2,}")

Question = dict[str, Any]


class Page(NamedTuple):
    """A page of a vault."""

    vault: str
    path: str
    file: Path


@dataclass
class Part:
    """Pages of a base, with the questions to ask of it."""

    pages: set[Page] = field(default_factory=set)
    questions: list[Question] = field(default_factory=list)


def find_pages(vaults: Sequence[Path]) -> dict[str, Page]:
    """Find the pages of vaults by the names that suites give them: the path, of the first vault that has it, and `vault:path`."""
    pages: dict[str, Page] = {}
    for vault in vaults:
        for file in sorted(vault.rglob("*.md")):
            page = Page(vault.name, file.relative_to(vault).as_posix(), file)
            pages.setdefault(page.path, page)
            pages[f"{page.vault}:{page.path}"] = page
    return pages


def read_questions(suites: Sequence[Path]) -> Iterator[Question]:
    """Yield the questions of suites; each id begins with the name of its suite."""
    for path in suites:
        suite = yaml.safe_load(path.read_text(encoding="utf-8"))
        for question in suite["queries"]:
            if question["kind"] != SEARCH:
                yield question | {"id": f"{suite['suite']}/{question['id']}"}


@cache
def read_text(page: Page) -> str:
    """Read the text of a page."""
    return page.file.read_text(encoding="utf-8", errors="replace")


def count_characters(pages: Iterable[Page]) -> int:
    """Count the characters of pages."""
    return sum(len(read_text(page)) for page in pages)


def cut_parts(questions: Sequence[Question], pages: Mapping[str, Page], *, characters: int) -> list[Part]:
    """Put pages into parts of at most so many characters, each with the questions about it.

    Questions about pages that are longer together, or not there, are in no part.
    """
    by_page: dict[str, list[Question]] = {}
    for question in questions:
        names = question.get("expected_doc_ids")
        if names and all(name in pages for name in names):
            by_page.setdefault(names[0], []).append(question)
    parts = [Part()]
    for name in sorted(by_page, key=lambda name: digest(f"{characters} {name}")):
        needed = {pages[each] for question in by_page[name] for each in question["expected_doc_ids"]}
        if count_characters(needed) > characters:
            continue
        if count_characters(parts[-1].pages | needed) > characters:
            parts.append(Part())
        parts[-1].pages |= needed
        parts[-1].questions += by_page[name]
    for question in questions:
        if question["kind"] == NEAR:
            words = WORD.findall(question["query"])
            held = [
                sum(any(word in read_text(page) for page in part.pages) for word in words) for part in parts
            ]
            parts[held.index(max(held))].questions.append(question)
    absent = cycle([each for each in questions if each["kind"] == ABSENT])
    for part in parts:
        part.questions += islice(absent, ABSENT_PER_BASE)
    return parts


def measure_part(app: App, part: Part, home: Path, *, mode: SearchMode) -> Results:
    """Index the pages of a part and ask its questions."""
    shutil.rmtree(home, ignore_errors=True)
    for page in part.pages:
        target = home / page.vault / page.path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page.file, target)
    vaults = sorted(home.iterdir())
    suite = home / f"{home.name}.yaml"
    body = {"suite": home.name, "queries": part.questions}
    suite.write_text(yaml.safe_dump(body, allow_unicode=True), encoding="utf-8")
    with opened_vaults(app, vaults, mode) as evaluator:
        return read_results(
            evaluator.evaluate_suite(suite, EvaluateOptions(mode=mode, baselines=(), answers=True))
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--vaults", type=Path, nargs="+", required=True, metavar="FOLDER", help="folders of notes"
    )
    parser.add_argument("--suites", type=Path, default=SUITES, help="folder of suites about them")
    parser.add_argument("--mode", type=SearchMode, default=SearchMode.HYBRID, choices=list(SearchMode))
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of vectors and runs")
    options = parser.parse_args()
    pages = find_pages(options.vaults)
    questions = list(read_questions(sorted(options.suites.glob("*.yaml"))))
    columns: dict[str, Results] = {}
    with open_app(options.cache) as app:
        for size in SIZES:
            parts = cut_parts(questions, pages, characters=size)
            column = columns.setdefault(f"{len(parts)} bases of {size:,} characters", Results())
            for number, part in enumerate(parts):
                home = options.cache / "small" / f"small-{size}-{number}"
                column.add(measure_part(app, part, home, mode=options.mode))
            asked = {each["id"] for part in parts for each in part.questions}
            left_out = sum(each["id"] not in asked for each in questions if each["kind"] != ABSENT)
            print(f"{size:,} characters: {left_out} questions are in no base", file=sys.stderr)
    print_table(columns)


if __name__ == "__main__":
    main()

"""Search and answers in bases of a few notes, cut from vaults: the table of `bench.vaults` over all of them together.

The pages that the questions of the suites are about are put into bases of at most so many characters, each with its
questions. A question on the subject without an answer is asked where most of its words are, and of the topics that are not
there each base is asked some.
"""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import yaml
from kebab_app import App, EvaluateOptions
from kebab_config import lighten_libraries, load_settings, read_environment
from kebab_core import SearchMode
from kebab_eval import Corpus

from bench.vault_suites import digest
from bench.vaults import CACHE, CONFIG, SUITES, Results, print_table, read_results

SIZES = (40_000, 100_000)
"""Characters: some 35 to 120 passages, and 80 to 230."""
ABSENT_PER_BASE = 6
ABSENT, NEAR, SEARCH = "absent", "near", "search"
WORD = re.compile(r"\w{2,}")

Question = dict[str, Any]
Pages = Mapping[str, tuple[str, Path]]
"""Path of a page to the name of its vault and its file."""


@dataclass
class Part:
    """Pages of a base, with the questions to ask of it."""

    paths: set[str] = field(default_factory=set)
    questions: list[Question] = field(default_factory=list)


def read_questions(suites: Sequence[Path]) -> Iterator[Question]:
    """Yield the questions of suites; each id begins with the name of its suite."""
    for path in suites:
        suite = yaml.safe_load(path.read_text(encoding="utf-8"))
        for question in suite["queries"]:
            if question["kind"] != SEARCH:
                yield question | {"id": f"{suite['suite']}/{question['id']}"}


def cut_parts(questions: Sequence[Question], pages: Pages, *, characters: int) -> list[Part]:
    """Put pages into parts of at most so many characters, each with the questions about it."""
    sizes = {
        path: len(file.read_text(encoding="utf-8", errors="replace")) for path, (_, file) in pages.items()
    }
    about = [each for each in questions if each.get("expected_doc_ids")]
    by_page: dict[str, list[Question]] = {}
    for question in about:
        if all(path in pages for path in question["expected_doc_ids"]):
            by_page.setdefault(question["expected_doc_ids"][0], []).append(question)
    order = sorted(by_page, key=lambda path: digest(f"{characters} {path}"))
    parts, left = [Part()], characters
    for page in order:
        needed = {path for each in by_page[page] for path in each["expected_doc_ids"]} - parts[-1].paths
        size = sum(sizes[path] for path in needed)
        if size > characters:
            continue
        if size > left:
            parts.append(Part())
            left = characters
        parts[-1].paths |= needed
        parts[-1].questions += by_page[page]
        left -= size
    texts = [" ".join(pages[path][1].read_text("utf-8", "replace") for path in part.paths) for part in parts]
    for question in questions:
        if question["kind"] == NEAR:
            words = WORD.findall(question["query"])
            held = [sum(word in text for word in words) for text in texts]
            parts[held.index(max(held))].questions.append(question)
    absent = cycle([each for each in questions if each["kind"] == ABSENT])
    for part in parts:
        part.questions += islice(absent, ABSENT_PER_BASE)
    return parts


def measure_part(app: App, part: Part, pages: Pages, home: Path, *, mode: SearchMode) -> Results:
    """Index the pages of a part and ask its questions."""
    shutil.rmtree(home, ignore_errors=True)
    for path in part.paths:
        vault, file = pages[path]
        target = home / "vaults" / vault / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    suite = home / f"{home.name}.yaml"
    body = {"suite": home.name, "queries": part.questions}
    suite.write_text(yaml.safe_dump(body, allow_unicode=True), encoding="utf-8")
    roots = {folder.name: folder for folder in sorted((home / "vaults").iterdir())}
    corpus = Corpus(roots=roots, data_dir=home / "data")
    with app.evaluator.open_base(corpus, mode=mode, sink=lambda _event: None) as base:
        asked = EvaluateOptions(mode=mode, baselines=(), answers=True)
        return read_results(replace(app.evaluator, current=base).evaluate_suite(suite, asked))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--vaults", type=Path, nargs="+", required=True, metavar="FOLDER", help="folders of notes"
    )
    parser.add_argument("--suites", type=Path, default=SUITES, help="folder of suites about them")
    parser.add_argument("--mode", type=SearchMode, default=SearchMode.HYBRID, choices=list(SearchMode))
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of vectors and runs")
    options = parser.parse_args()
    lighten_libraries()
    options.cache.mkdir(parents=True, exist_ok=True)
    config = options.cache / "kebab.toml"
    config.write_text(CONFIG, encoding="utf-8")
    pages: dict[str, tuple[str, Path]] = {}
    for vault in options.vaults:
        for file in sorted(vault.rglob("*.md")):
            pages.setdefault(file.relative_to(vault).as_posix(), (vault.name, file))
    questions = list(read_questions(sorted(options.suites.glob("*.yaml"))))
    columns: dict[str, Results] = {}
    with App(load_settings(config_path=config, environ=read_environment())) as app:
        for size in SIZES:
            parts = cut_parts(questions, pages, characters=size)
            column = columns.setdefault(f"{len(parts)} bases of {size:,} characters", Results())
            for number, part in enumerate(parts):
                home = options.cache / "small" / f"small-{size}-{number}"
                column.add(measure_part(app, part, pages, home, mode=options.mode))
    print_table(columns)


if __name__ == "__main__":
    main()

"""Search over source trees: definitions first, behaviour against each leg alone and against grep, in one table.

Each tree is indexed by the present code into a throw-away knowledge base; the suite of its name in `bench/code_suites`
is asked of it. Vectors are kept by text, so that a second run makes only those of passages that changed. Two trees are
there to choose with and two to report; the comment of a suite says which. With `--beside` a folder of documentation is
indexed with a tree, and the questions that it answers are asked too.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kebab_app import App
from kebab_config import lighten_libraries, load_settings, read_environment
from kebab_core import Citation, CodeCitation, SearchHit, SearchMode, SearchQuery, split_symbol
from kebab_eval import (
    Corpus,
    EvaluationBase,
    GoldenQuery,
    GoldenSuite,
    measure_ranking,
    rank_by_substrings,
    read_golden_suite,
)

SUITES = Path(__file__).parent / "code_suites"
DEPTH = 10
NO_WORD = re.compile(r"\W+")
KINDS = {
    "symbols": ("symbol",),
    "misspelt symbols": ("misspelt",),
    "behaviour, where is": ("behaviour", "where"),
    "Korean": ("korean",),
    "error messages": ("message",),
    "questions in prose": ("prose",),
}
GREP = "grep"
QUESTIONS = {
    "where is X defined?": "where is {} defined?",
    "what does X return?": "what does {} return?",
    "X는 어디서 정해지나요?": "{}는 어디서 정해지나요?",
    "X가 하는 일은?": "{}가 하는 일은?",
}
"""Asked for each symbol that a suite searches for."""
CONFIG = 'schema_version = 1\n[storage]\ndata_dir = "data"\n'


@dataclass(frozen=True, kw_only=True)
class Result:
    """One query by one mode."""

    query: GoldenQuery
    mode: str
    files: float
    """nDCG@10 of the files."""
    passages: float | None
    """nDCG@10 of the passages, where there are some."""
    first: bool
    """True if the first hit shows the definition, or for a question in prose any document but source code."""
    shown: str
    """The first hit."""


def is_expected(hit: SearchHit, name: str) -> bool:
    """Return True if a hit's passage is that of the definition `path#Outer.name`."""
    path, _, symbol = name.partition("#")
    parts = [NO_WORD.sub("", part) for part in hit.heading_path]
    wanted = symbol.split(".")
    return str(hit.doc_path) == path and parts[-len(wanted) :] == wanted


def is_right(query: GoldenQuery, hit: SearchHit) -> bool:
    """Return True if a hit shows what a query asks for."""
    if query.kind == "prose":
        return not isinstance(hit.citation, CodeCitation)
    return any(is_expected(hit, name) for name in query.expected_chunk_ids)


def cites(citation: Citation | None, name: str) -> bool:
    """Return True if a citation is of the definition `path#Outer.name`."""
    path, _, symbol = name.partition("#")
    if not isinstance(citation, CodeCitation):
        return False
    parts = [NO_WORD.sub("", part) for part in split_symbol(citation.symbol or "")]
    wanted = symbol.split(".")
    return str(citation.path) == path and parts[-len(wanted) :] == wanted


def rank_passages(query: GoldenQuery, hits: Iterable[SearchHit]) -> float | None:
    """Return nDCG@10 of passages; parts of one definition count once. None where no passage is expected."""
    if not query.expected_chunk_ids:
        return None
    ranked = (
        next((name for name in query.expected_chunk_ids if is_expected(hit, name)), hit.chunk_id)
        for hit in hits
    )
    # Several places may be given as right; the first is enough.
    found = ["right" if name in query.expected_chunk_ids else name for name in ranked]
    return measure_ranking(list(dict.fromkeys(found)), {"right": 1}).ndcg_at_10


def rank_files(query: GoldenQuery, paths: Iterable[str]) -> float:
    """Return nDCG@10 of files."""
    return measure_ranking(list(dict.fromkeys(paths)), dict.fromkeys(query.expected_doc_ids, 1)).ndcg_at_10


def ask(base: EvaluationBase, query: GoldenQuery, mode: SearchMode) -> Result:
    """Search for one query."""
    folded = base.search(SearchQuery(text=query.query, mode=mode, k=DEPTH)).hits
    passages = base.search(SearchQuery(text=query.query, mode=mode, k=DEPTH, all_passages=True)).hits
    first = folded[0] if folded else None
    return Result(
        query=query,
        mode=mode.value,
        files=rank_files(query, (str(hit.doc_path) for hit in folded)),
        passages=rank_passages(query, passages),
        first=first is not None and is_right(query, first),
        shown=f"{first.doc_path}#{'.'.join(first.heading_path)}" if first else "nothing",
    )


def ask_questions(base: EvaluationBase, suite: GoldenSuite, mode: SearchMode) -> None:
    """Print answers whose first citation is the definition, others and refusals; and refusals of names that are not there."""
    names = [query for query in suite.queries if query.kind == "symbol"]
    for question, template in QUESTIONS.items():
        right = refused = absent = 0
        for query in names:
            asked = f"`{query.expected_chunk_ids[0].rpartition('#')[2]}`"
            answer, _ = base.ask(template.format(asked), mode=mode, k=None)
            cited = answer.citations[0].citation if answer.grounded and answer.citations else None
            right += any(cites(cited, name) for name in query.expected_chunk_ids)
            refused += cited is None
            unknown, _ = base.ask(template.format(f"`{asked.strip('`')[::-1]}`"), mode=mode, k=None)
            absent += not unknown.grounded
        wrong = len(names) - right - refused
        print(
            f"{question}: {right} right, {wrong} other, {refused} refused; not there: {absent} of {len(names)} refused"
        )


def ask_grep(base: EvaluationBase, suite: GoldenSuite) -> list[Result]:
    """Rank the files by how many distinct words of each query they hold."""
    texts = ((str(document.doc_path), base.read_text(document)) for document in base.list_documents())
    ranked = rank_by_substrings(suite.to_searches(), texts, depth=DEPTH)
    return [
        Result(
            query=query,
            mode=GREP,
            files=rank_files(query, ranked[query.id]),
            passages=None,
            first=False,
            shown=ranked[query.id][0] if ranked[query.id] else "nothing",
        )
        for query in suite.queries
    ]


def measure(
    app: App,
    tree: Path,
    suite: GoldenSuite,
    *,
    modes: Sequence[SearchMode],
    include: Sequence[str],
    beside: Path | None,
    answers: bool,
) -> list[Result]:
    """Index a tree, and the folder beside it, and ask its suite."""
    roots = {"default": tree.absolute()} | ({"beside": beside.absolute()} if beside else {})
    indexed = SearchMode.LEXICAL if set(modes) == {SearchMode.LEXICAL} else SearchMode.HYBRID
    with tempfile.TemporaryDirectory(prefix="code-") as home:
        corpus = Corpus(roots=roots, data_dir=Path(home, "data"), include=tuple(include))
        started = time.process_time()
        with app.evaluator.open_base(corpus, mode=indexed, sink=lambda _event: None) as base:
            held = {str(document.doc_path) for document in base.list_documents()}
            missing = suite.document_names - held
            print(
                f"{tree.name}: {len(held)} files, {time.process_time() - started:.0f} s CPU here",
                file=sys.stderr,
            )
            if missing:
                print(f"{tree.name}: not in the index: {', '.join(sorted(missing))}", file=sys.stderr)
            found = [ask(base, query, mode) for mode in modes for query in suite.queries]
            if answers:
                print(f"\n{tree.name}")
                ask_questions(base, suite, indexed)
            return found + ask_grep(base, suite)


def mean(values: Iterable[float | None]) -> str:
    """Write a mean with three digits, as `.912`; nothing where there is none."""
    held = [value for value in values if value is not None]
    return f"{sum(held) / len(held):.3f}".removeprefix("0") if held else ""


def print_table(columns: Mapping[str, Sequence[Result]]) -> None:
    """Print definition first, nDCG@10 of passages and of files, by kind of query and mode."""
    print(f"| queries | by | {' | '.join(columns)} |")
    print(f"|---|---|{'---:|' * len(columns)}")
    every = [result for results in columns.values() for result in results]
    asked = {result.query.kind for result in every}
    for kind, names in KINDS.items():
        for mode in dict.fromkeys(result.mode for result in every if asked.intersection(names)):
            cells = []
            for results in columns.values():
                chosen = [each for each in results if each.mode == mode and each.query.kind in names]
                first = mean(float(each.first) for each in chosen) if mode != GREP else ""
                passages, files = mean(each.passages for each in chosen), mean(each.files for each in chosen)
                cells.append(f"{first} / {passages} / {files} ({len(chosen)})")
            print(f"| {kind} | {mode} | {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", type=Path, nargs="+", help="folders named as suites of bench/code_suites")
    parser.add_argument(
        "--modes",
        default=",".join(SearchMode),
        help="modes between commas; lexical alone makes no vectors",
    )
    parser.add_argument(
        "--include",
        action="append",
        default=[],
        metavar="GLOB",
        help="files of the trees to take; none takes all",
    )
    parser.add_argument(
        "--beside",
        type=Path,
        help="a folder of documentation; its questions are those of the suite NAME-prose",
    )
    parser.add_argument("--cache", type=Path, default=Path(".vaults"), help="folder of settings and vectors")
    parser.add_argument("--answers", action="store_true", help="ask for the symbols too")
    parser.add_argument("--misses", action="store_true", help="list the queries whose first hit is another")
    options = parser.parse_args()
    modes = [SearchMode(name) for name in options.modes.split(",")]
    lighten_libraries()  # as every command does, before numpy is loaded
    options.cache.mkdir(parents=True, exist_ok=True)
    config = options.cache / "code.toml"
    config.write_text(CONFIG, encoding="utf-8")
    columns: dict[str, list[Result]] = {}
    with App(load_settings(config_path=config, environ=read_environment())) as app:
        for tree in options.trees:
            suite = read_golden_suite(SUITES / f"{tree.name}.yaml")
            if options.beside:
                prose = read_golden_suite(SUITES / f"{tree.name}-prose.yaml")
                suite = suite.model_copy(update={"queries": (*suite.queries, *prose.queries)})
            columns[tree.name] = measure(
                app,
                tree,
                suite,
                modes=modes,
                include=options.include,
                beside=options.beside,
                answers=options.answers,
            )
    if len(columns) > 1:
        columns["all"] = [result for results in list(columns.values()) for result in results]
    print("definition first / nDCG@10 of passages / nDCG@10 of files (queries)\n")
    print_table(columns)
    if options.misses:
        for result in (each for tree in options.trees for each in columns[tree.name]):
            if result.mode != GREP and not result.first:
                print(f"{result.mode} {result.query.id} {result.query.query!r}: {result.shown}")


if __name__ == "__main__":
    main()

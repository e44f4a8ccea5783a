"""Search and answers over vaults: names, titles, boilerplate, strangers, absent topics, scores and answers, in one table.

Every vault is indexed by the present code into a throw-away knowledge base, and all of them into another one. The
names of each vault are searched for in both; the suites of `bench/suites` are asked of all vaults together. The cache
keeps vectors by text, so that a second run makes only those of passages that changed, and the results of each query.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeVar

from kebab_app import App, EvaluateOptions
from kebab_config import lighten_libraries, load_settings, read_environment
from kebab_core import AnswerMetrics, AnswerOutcomes, EvaluationRun, HitMetrics, Model, SearchMode
from kebab_eval import (
    AnswerResult,
    Corpus,
    Evaluator,
    QueryResult,
    SearchResult,
    summarize,
    summarize_answers,
    summarize_hits,
)

from bench.vault_suites import LIMIT, write_suites

SUITES = Path(__file__).parent / "suites"
CACHE = Path(__file__).parents[1] / ".vaults"
MIXED = "mixed"
LIKELY = 0.05
"""Score below which a hit is less likely."""
ANSWERS_FILE = "answers.jsonl"
ASKED = 150
"""Questions of each judged set that are asked."""
CONFIG = 'schema_version = 1\n[storage]\ndata_dir = "data"\n'
ModelT = TypeVar("ModelT", bound=Model)


@dataclass
class Results:
    """Results of one or several suites."""

    queries: list[QueryResult] = field(default_factory=list)
    searches: list[SearchResult] = field(default_factory=list)
    answers: list[AnswerResult] = field(default_factory=list)

    def add(self, other: Results) -> None:
        """Add the results of another suite."""
        self.queries += other.queries
        self.searches += other.searches
        self.answers += other.answers

    def of_kinds(self, *kinds: str) -> Results:
        """Return the results of some kinds."""
        return Results(
            [each for each in self.queries if each.kind in kinds],
            [each for each in self.searches if each.kind in kinds],
            [each for each in self.answers if each.kind in kinds],
        )

    @property
    def hits(self) -> HitMetrics:
        """Measures of all first hits."""
        return summarize_hits(self.searches)

    @property
    def outcomes(self) -> Sequence[AnswerOutcomes]:
        """Outcomes of the answers by kind."""
        metrics = self.answer_metrics
        return (metrics and metrics.outcomes) or ()

    @property
    def answer_metrics(self) -> AnswerMetrics | None:
        """Measures of all answers; None where nothing was asked."""
        return summarize_answers(self.answers) if self.answers else None


def read_results(run: EvaluationRun) -> Results:
    """Read the results of each query of a run that was kept."""
    folder = Path(run.run_dir or "")
    return Results(
        list(_read(folder / "per_query.jsonl", QueryResult)),
        list(_read(folder / "per_search.jsonl", SearchResult)),
        list(_read(folder / "per_answer.jsonl", AnswerResult)),
    )


def _read(path: Path, model: type[ModelT]) -> Iterator[ModelT]:
    if path.exists():
        with path.open(encoding="utf-8") as lines:
            yield from map(model.model_validate_json, lines)


def share(value: float | None) -> str:
    """Write a share with three digits, as `.912`; nothing where it was not measured."""
    return "" if value is None else f"{value:.3f}".removeprefix("0") if value < 1 else f"{value:.2f}"


def hit_shares(*kinds: str) -> Callable[[Results], str]:
    """Return a cell: first, among three, and the number of queries of some kinds."""

    def cell(results: Results) -> str:
        found = results.of_kinds(*kinds).queries
        means = summarize(found)
        return f"{share(means.hit_at_1)} / {share(means.hit_at_3)} ({len(found)})" if found else ""

    return cell


def answer_share(name: str) -> Callable[[Results], str]:
    """Return a cell: one measure of the answers."""
    return lambda results: share(getattr(results.answer_metrics, name, None))


def hit_share(name: str, *kinds: str) -> Callable[[Results], str]:
    """Return a cell: one measure of first hits, of some kinds or of all."""
    return lambda results: share(getattr((results.of_kinds(*kinds) if kinds else results).hits, name))


def score_share(name: str) -> Callable[[Results], str]:
    """Return a cell: one measure of the score."""
    return lambda results: share(getattr(results.hits.scores, name, None))


def refused(results: Results) -> str:
    """Return a cell: answered, not sure and refused, of unanswerable questions."""
    parts = (part for part in results.outcomes if not part.answerable)
    cells = (f"{part.kind} {part.wrong}/{part.not_sure}/{part.refused}" for part in parts)
    return ", ".join(cells)


def unlikely_only(results: Results) -> str:
    """Return a cell: absent topics whose hits, if they have any, are all less likely."""
    absent = [each for each in results.searches if each.kind == "absent"]
    found = [all(hit.score < LIKELY for hit in each.hits) for each in absent]
    return share(sum(found) / len(found)) if found else ""


ROWS: Mapping[str, tuple[str, Callable[[Results], str]]] = {
    "file names and aliases: first / three": (".95 /", hit_shares("name", "alias")),
    "titles: first / three": (".98 /", hit_shares("title")),
    "first headings: first / three": ("", hit_shares("heading")),
    "English keywords: first / three": ("", hit_shares("keyword")),
    "searches: first / three": (".85 / .95", hit_shares("search")),
    "questions: first / three": (
        "",
        hit_shares(
            "who",
            "when",
            "how",
            "how-much",
            "why",
            "definition",
            "list",
            "table",
            "comparison",
            "code",
            "yes-no",
        ),
    ),
    "boilerplate, of first hits": ("0", hit_share("boilerplate")),
    "strangers, of first fives": (".010", hit_share("strangers")),
    "strangers, of English keywords": (".010", hit_share("strangers", "keyword")),
    "absent topics without a hit": (".70", hit_share("absent_no_hit")),
    "absent topics without a likely hit": (".75", unlikely_only),
    "judged queries without a hit": (".005", hit_share("judged_no_hit")),
    "calibration error of the score": (".050", score_share("calibration_error")),
    "Brier score": ("", score_share("brier")),
    "different scores of ten": ("1", hit_share("distinct_scores")),
    "ten equal scores": ("0", hit_share("saturated")),
    "right, of the answered": (".92", answer_share("answered_right")),
    "right, of the answerable": (".75", answer_share("answerable_right")),
    "answerable, answered": ("", answer_share("answered")),
    "not sure, of all": ("", answer_share("not_sure")),
    "near misses answered": ("", answer_share("near_answered")),
    "absent topics answered": (".020", answer_share("absent_answered")),
    "unanswerable: answered/not sure/refused": ("", refused),
    "quotes verbatim": ("1", answer_share("quotes_verbatim")),
}
"""Measure to its goal and its cell."""


def print_table(columns: Mapping[str, Results]) -> None:
    """Print one column for each group of results, and one row for each measure that any of them has."""
    print(f"| | goal | {' | '.join(columns)} |")
    print(f"|---|---:|{'---:|' * len(columns)}")
    for name, (goal, cell) in ROWS.items():
        cells = [cell(results) for results in columns.values()]
        if any(cells):
            print(f"| {name} | {goal} | {' | '.join(cells)} |")


def print_kinds(results: Results) -> None:
    """Print hits and outcomes by kind."""
    kinds = dict.fromkeys(each.kind or "" for each in results.searches)
    outcomes = {part.kind: part for part in results.outcomes}
    print("| kind | searches: first / three | asked: right / wrong / not sure / refused |")
    print("|---|---:|---:|")
    for kind in kinds:
        part = outcomes.get(kind or None)
        counts = f"{part.right} / {part.wrong} / {part.not_sure} / {part.refused}" if part else ""
        print(f"| {kind} | {hit_shares(kind)(results)} | {counts} |")


def print_reliability(results: Results) -> None:
    """Print the bins of the score."""
    scores = results.hits.scores
    if scores is not None:
        print(f"{scores.hits} judged hits, {scores.unjudged} not judged")
        print("| mean score | " + " | ".join(f"{point.score:.2f}" for point in scores.points) + " |")
        print("|---|" + "---:|" * len(scores.points))
        print("| relevant | " + " | ".join(f"{point.relevant:.2f}" for point in scores.points) + " |")


COLOURS = ("#1b6ca8", "#c8553d", "#588157", "#8d5a97", "#b08900", "#555555")
SIDE = 320
"""Pixels of the square of a plot."""


def draw_reliability(columns: Mapping[str, Results]) -> str:
    """Draw mean score against the share of relevant hits, a line for each column with a score, as SVG."""
    shown = {name: results.hits.scores for name, results in columns.items() if results.hits.scores}
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-45 -15 {SIDE + 260} {SIDE + 55}" font-family="sans-serif"'
        ' font-size="11">',
        f'<rect x="-45" y="-15" width="{SIDE + 260}" height="{SIDE + 55}" fill="white"/>',
        f'<path d="M0 {SIDE}L{SIDE} 0" stroke="#999" stroke-dasharray="4"/>',
        f'<path d="M0 0V{SIDE}H{SIDE}" fill="none" stroke="#333"/>',
        f'<text x="{SIDE / 2}" y="{SIDE + 32}" text-anchor="middle">mean score of a bin</text>',
        f'<text transform="rotate(-90)" x="{-SIDE / 2}" y="-30" text-anchor="middle">share of relevant hits</text>',
    ]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        at = SIDE * tick
        lines += [
            f'<text x="{at}" y="{SIDE + 15}" text-anchor="middle">{tick:g}</text>',
            f'<text x="-6" y="{SIDE - at + 4}" text-anchor="end">{tick:g}</text>',
        ]
    for number, (name, scores) in enumerate(shown.items()):
        colour = COLOURS[number % len(COLOURS)]
        places = [(SIDE * point.score, SIDE * (1 - point.relevant)) for point in scores.points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in places]
        lines.append(f'<text x="{SIDE + 15}" y="{20 + 16 * number}" fill="{colour}">{name}</text>')
    return "\n".join((*lines, "</svg>", ""))


def print_sets(evaluator: Evaluator, options: argparse.Namespace) -> None:
    """Print search over all queries of each judged set, and how well its second half tells what nothing answers.

    Questions are asked again without their passages, unless the set has unanswerable ones.
    """
    print("| set | nDCG@10 | first / three | strangers | calibration error | Brier score | refusal AUROC |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for folder in options.sets:
        asked = EvaluateOptions(mode=options.mode, baselines=(), limit=options.queries)
        run = evaluator.evaluate_set(folder, asked)
        auroc = None
        if (folder / ANSWERS_FILE).exists() and not options.no_answers:
            labelled = '"answerable": false' in (folder / ANSWERS_FILE).read_text("utf-8")
            left_out: Literal["relevant"] | None = None if labelled else "relevant"
            limit = min(options.queries or ASKED, ASKED)
            asked = replace(asked, answers=True, left_out=left_out, part=2, parts=2, limit=limit)
            answers = evaluator.evaluate_set(folder, asked).answers
            auroc = answers.refusal_auroc if answers else None
        means, hits = run.metrics, run.hits or summarize_hits([])
        figures = [
            share(means.ndcg_at_10),
            f"{share(means.hit_at_1)} / {share(means.hit_at_3)}",
            share(hits.strangers),
            share(getattr(hits.scores, "calibration_error", None)),
            share(getattr(hits.scores, "brier", None)),
            share(auroc),
        ]
        print(f"| {folder.name} ({run.queries}) | {' | '.join(figures)} |", flush=True)


def open_app(cache: Path) -> App:
    """Open an app that keeps vectors and runs in a folder."""
    lighten_libraries()  # as every command does, before numpy is loaded
    cache.mkdir(parents=True, exist_ok=True)
    config = cache / "kebab.toml"
    config.write_text(CONFIG, encoding="utf-8")
    return App(load_settings(config_path=config, environ=read_environment()))


@contextmanager
def opened_vaults(app: App, vaults: Sequence[Path], mode: SearchMode) -> Iterator[Evaluator]:
    """Index vaults as the sources of one throw-away base.

    Yields:
        The evaluations of it.
    """
    with tempfile.TemporaryDirectory(prefix="vaults-") as home:
        corpus = Corpus(roots={vault.name: vault.absolute() for vault in vaults}, data_dir=Path(home, "data"))
        with app.evaluator.open_base(corpus, mode=mode, sink=lambda _event: None) as base:
            yield replace(app.evaluator, current=base)


def measure(app: App, options: argparse.Namespace) -> dict[str, dict[str, Results]]:
    """Run the chosen suites over each vault and over all of them.

    Returns:
        Results by name of the base, then of the suite.
    """
    chosen = [part for part in options.only.split(",") if part]
    names = write_suites(options.vaults, options.cache / "suites", limit=options.limit)
    written = {name: [path] for name, path in names.items()}
    whole = MIXED if len(options.vaults) > 1 else options.vaults[0].name
    written[whole] += sorted(options.suites.glob("*.yaml"))
    found: dict[str, dict[str, Results]] = {}
    for base, suites in written.items():
        wanted = [path for path in suites if not chosen or any(part in path.stem for part in chosen)]
        if not wanted:
            continue
        vaults = options.vaults if base == whole else [each for each in options.vaults if each.name == base]
        started = time.process_time()
        with opened_vaults(app, vaults, options.mode) as evaluator:
            print(f"{base}: indexed, {time.process_time() - started:.0f} s CPU here", file=sys.stderr)
            for path in wanted:
                started = time.process_time()
                asked = EvaluateOptions(mode=options.mode, baselines=(), answers=not options.no_answers)
                run = evaluator.evaluate_suite(path, asked)
                found.setdefault(base, {})[path.stem] = read_results(run)
                print(
                    f"{path.stem}: {time.process_time() - started:.0f} s CPU, {run.run_dir}", file=sys.stderr
                )
                if run.documents_missing:
                    print(
                        f"{path.stem}: {run.documents_missing} expected pages are not there", file=sys.stderr
                    )
    return found


def group(found: Mapping[str, Mapping[str, Results]]) -> dict[str, Results]:
    """Group results into columns: the names of each base, and the halves of the suites written by hand."""
    columns: dict[str, Results] = {}
    for base, suites in found.items():
        for suite, results in suites.items():
            half = suite.rpartition("-")[2]
            column = f"names, {base}" if suite.startswith("names-") else f"by hand, half {half}"
            columns.setdefault(column, Results()).add(results)
    return columns


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--vaults", type=Path, nargs="*", default=[], metavar="FOLDER", help="folders of notes"
    )
    parser.add_argument(
        "--sets", type=Path, nargs="*", default=[], metavar="FOLDER", help="judged sets besides"
    )
    parser.add_argument("--queries", type=int, help="queries of each judged set, at most")
    parser.add_argument("--only", default="", help="suites whose names hold one of these, between commas")
    parser.add_argument("--suites", type=Path, default=SUITES, help="suites to ask of all vaults together")
    parser.add_argument("--mode", type=SearchMode, default=SearchMode.HYBRID, choices=list(SearchMode))
    parser.add_argument("--limit", type=int, default=LIMIT, help="names of each kind from each vault")
    parser.add_argument("--no-answers", action="store_true", help="search only")
    parser.add_argument("--plot", type=Path, metavar="SVG", help="file for the reliability of the score")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of vectors and runs")
    options = parser.parse_args()
    with open_app(options.cache) as app:
        columns = group(measure(app, options)) if options.vaults else {}
        if columns:
            print_table(columns)
        if options.plot:
            options.plot.write_text(draw_reliability(columns), encoding="utf-8")
        for name, results in columns.items():
            print(f"\n{name}\n")
            print_kinds(results)
            print()
            print_reliability(results)
        if options.sets:
            print()
            print_sets(app.evaluator, options)


if __name__ == "__main__":
    main()

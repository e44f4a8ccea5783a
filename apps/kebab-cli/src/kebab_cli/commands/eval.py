"""`kebab eval`."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kebab_cli.exit_codes import NO_RESULT, SUCCESS
from kebab_cli.filters import mode_option
from kebab_cli.language import tr
from kebab_cli.options import Decorator, KebabGroup, OneOf, WholeNumber, k_option, option_group
from kebab_cli.render import Console
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import Clock, EvaluationRun


_FOLDER = click.Path(path_type=Path)
_PART = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})")
_LINE_EVERY_MS = 2000


@click.group(cls=KebabGroup)
def command() -> None:
    """Measure search and answers on judged queries.

    Examples:
      kebab eval run my-questions.yaml
      kebab eval beir sets/tydiqa-ko
      kebab eval compare last 20260102T0304
    """


def _corpus_options(corpus_help: str, *, condition: str) -> Decorator:
    """Make the flags of a collection that takes the place of the set's own."""
    files = f"{condition}: only files that match this pattern; repeatable."
    return option_group(
        click.option("--corpus", type=_FOLDER, metavar="FOLDER", help=corpus_help),
        click.option("--include", multiple=True, metavar="GLOB", help=files),
    )


_compare_option = click.option(
    "--compare", metavar="RUN", help="Compare with an earlier run; exit code 1 if it got worse."
)


@command.command("run")
@click.argument("suite", type=_FOLDER)
@_corpus_options("Search the files of this folder instead of the suite's.", condition="With a corpus")
@mode_option()
@k_option("Hits to evaluate per query.")
@click.option(
    "--answers/--no-answers", default=True, help="Whether to measure answers too.  [default: measure]"
)
@_compare_option
@pass_session
def run_suite(session: Session, /, suite: Path, *, mode: str | None, **flags: Any) -> int:
    """Run a golden suite. It lists questions with their expected results.

    SUITE is a YAML file. If it names a corpus, the corpus is indexed in a temporary folder; otherwise your
    knowledge base is searched. The run is stored in the knowledge base (not with --readonly), the answers are not.

    Examples:
      kebab eval run my-questions.yaml
      kebab eval run suites/guide-ko.yaml --no-answers --compare last
    """
    from kebab_app import EvaluateOptions, choose_mode

    with session.open_app() as app:
        options = EvaluateOptions(mode=choose_mode(app.base, mode), baselines=(), **flags)
        run = _watch(session, app, partial(app.evaluator.evaluate_suite, suite, options))
    return _show_run(session, run)


@command.command("beir")
@click.argument("folder", type=_FOLDER)
@_corpus_options("Search the files of this folder; ids are their paths.", condition="With --corpus")
@mode_option()
@click.option(
    "--k", "-k", "depth", type=WholeNumber(10, 1000), default=10, help="Documents to rank per query."
)
@click.option(
    "--part",
    metavar="I/N",
    default="1/1",
    help="Run only part I of N of the queries, split by a hash of their ids.",
)
@click.option("--limit", type=WholeNumber(1), help="Maximum number of queries.")
@click.option(
    "--baseline",
    "baselines",
    type=OneOf(["grep", "lexical", "none"]),
    multiple=True,
    default=("grep",),
    help="Baseline to measure as well; repeatable.  [default: grep]",
)
@_compare_option
@click.option("--answers", is_flag=True, help="Also measure answers, with the questions of answers.jsonl.")
@click.option(
    "--leave-out",
    "left_out",
    type=OneOf(["relevant", "related"]),
    help="With --answers: also ask each question without the documents that answer it, or without all "
    "documents of the same titles.",
)
@pass_session
def beir(
    session: Session,
    /,
    folder: Path,
    *,
    mode: str | None,
    part: str,
    baselines: tuple[Any, ...],
    **flags: Any,
) -> int:
    """Run the queries of a test set in BEIR format.

    FOLDER contains queries.jsonl, qrels.tsv and corpus.jsonl. The documents are indexed in a temporary folder that
    is deleted afterwards. Your knowledge base is not searched; only the run is stored in it (not with --readonly).

    Examples:
      kebab eval beir sets/tydiqa-ko
      kebab eval beir sets/titles --corpus ~/Notes --include "ko/**" --compare last
      kebab eval beir sets/scifact --part 2/2 --json
      kebab eval beir sets/korquad1 --answers --leave-out related
    """
    from kebab_app import EvaluateOptions, choose_mode

    with session.open_app() as app:
        index, parts = _read_part(part)
        options = EvaluateOptions(
            mode=choose_mode(app.base, mode),
            part=index,
            parts=parts,
            baselines=tuple(dict.fromkeys(name for name in baselines if name != "none")),
            **flags,
        )
        run = _watch(session, app, partial(app.evaluator.evaluate_set, folder, options))
    return _show_run(session, run)


def _show_run(session: Session, found: EvaluationRun) -> int:
    from kebab_wire import wire_eval_run

    from kebab_cli.views.evaluation import render_eval_run

    run = wire_eval_run(found)
    session.console.show(run, render_eval_run)
    return NO_RESULT if run.comparison is not None and run.comparison.regressed else SUCCESS


@command.command("compare")
@click.argument("first")
@click.argument("second")
@pass_session
def compare(session: Session, first: str, second: str) -> int:
    """Compare two runs query by query; FIRST is the baseline.

    Name a run by its id, a unique beginning of the id, or `last`. Exit code 1: SECOND is significantly worse.
    """
    from kebab_wire import wire_eval_compare

    from kebab_cli.views.evaluation import render_comparison

    with session.open_app() as app:
        comparison = wire_eval_compare(app.evaluator.compare(first, second))
    session.console.show(comparison, render_comparison)
    return NO_RESULT if comparison.regressed else SUCCESS


@command.command("list")
@click.option("--limit", "-k", type=WholeNumber(1, 10_000), default=20, help="Maximum number of runs.")
@pass_session
def list_runs(session: Session, *, limit: int) -> None:
    """List the runs that were kept, newest first."""
    from kebab_wire import wire_eval_run_list

    from kebab_cli.views.evaluation import render_eval_runs

    with session.open_app() as app:
        runs = wire_eval_run_list(app.evaluator.runs.list(limit=limit))
    session.console.show(runs, render_eval_runs)


@command.command("show")
@click.argument("run")
@pass_session
def show(session: Session, run: str) -> None:
    """Show a run by its id, the beginning of its id, or `last`."""
    with session.open_app() as app:
        found = app.evaluator.runs.show(run)
    _show_run(session, found)


def _watch(session: Session, app: App, work: Callable[..., EvaluationRun]) -> EvaluationRun:
    """Run an evaluation with progress; with `--json`, only the run itself is printed."""
    from kebab_cli.progress import ignore, make_sink

    progress = _QueryProgress(session.console, app.base.clock)
    if session.console.json:
        return work(sink=ignore, progress=progress.show)
    with make_sink(session) as sink:
        return work(sink=sink, progress=progress.show)


class _QueryProgress:
    """Progress of the queries: a line every two seconds."""

    def __init__(self, console: Console, clock: Clock) -> None:
        self._console = console
        self._clock = clock
        self._said_ms = clock.monotonic_ms()

    def show(self, done: int, total: int) -> None:
        """Print a line if it is time for one."""
        now_ms = self._clock.monotonic_ms()
        if now_ms - self._said_ms >= _LINE_EVERY_MS:
            self._said_ms = now_ms
            self._console.remark(tr("{done}/{total} queries", done=done, total=total))


def _read_part(text: str) -> tuple[int, int]:
    """Parse `I/N`.

    Raises:
        InvalidInputError: It is not a part of a whole.
    """
    from kebab_core import InvalidInputError, Message

    match = _PART.fullmatch(text)
    if match is None or int(match[1]) > int(match[2]):
        raise InvalidInputError(
            "{text!r} is not a part such as 1/2",
            hint=Message("--part 1/2 is the first half"),
            _text=text,
        )
    return int(match[1]), int(match[2])

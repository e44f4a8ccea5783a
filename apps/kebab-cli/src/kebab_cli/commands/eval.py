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
from kebab_cli.options import KebabGroup
from kebab_cli.render import Console
from kebab_cli.session import Session

if TYPE_CHECKING:
    from kebab_app import App, EvaluationRun
    from kebab_core import Clock, IngestEvent


_FOLDER = click.Path(path_type=Path)
_PART = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})")
_LINE_EVERY_MS = 2000


@click.group(cls=KebabGroup)
def command() -> None:
    """Measure how well search and answers meet what people expect.

    Examples:
      kebab eval run my-questions.yaml
      kebab eval beir sets/tydiqa-ko
      kebab eval compare last 20260102T0304
    """


@command.command("run")
@click.argument("suite", type=_FOLDER)
@click.option(
    "--corpus", type=_FOLDER, metavar="FOLDER", help="Search the files of this folder instead of the suite's."
)
@click.option(
    "--include",
    multiple=True,
    metavar="GLOB",
    help="With a corpus: take only files such as this; repeatable.",
)
@mode_option()
@click.option("--k", type=click.IntRange(1, 1000), help="Hits to look at.  [default: search.default_k]")
@click.option(
    "--answers/--no-answers", default=True, help="Whether to ask the questions too.  [default: ask]"
)
@click.option("--compare", metavar="RUN", help="Compare with an earlier run; exit code 1 if it got worse.")
@click.pass_context
def run_suite(context: click.Context, /, suite: Path, **flags: Any) -> None:
    """Run a golden suite: questions with what a good result has to hold.

    SUITE is a YAML file. Where it names a corpus, that is indexed in a temporary folder; otherwise your knowledge
    base is searched as it is. The run is kept in it (not with --readonly), the answers are not.

    Examples:
      kebab eval run my-questions.yaml
      kebab eval run suites/guide-ko.yaml --no-answers --compare last
    """
    from kebab_app import EvaluateOptions, choose_mode
    from kebab_wire import wire_eval_run

    from kebab_cli.views.evaluation import render_eval_run

    session = Session(context)
    with session.open_app() as app:
        options = EvaluateOptions(
            corpus=flags["corpus"],
            include=flags["include"],
            mode=choose_mode(app.base, flags["mode"]),
            baselines=(),
            compare=flags["compare"],
            answers=flags["answers"],
            k=flags["k"],
        )
        run = wire_eval_run(_watch(session, app, partial(app.evaluator.evaluate_suite, suite, options)))
    if session.console.json:
        session.console.wire(run)
    else:
        render_eval_run(session.console, run)
    context.exit(NO_RESULT if run.comparison is not None and run.comparison.regressed else SUCCESS)


@command.command("beir")
@click.argument("folder", type=_FOLDER)
@click.option(
    "--corpus", type=_FOLDER, metavar="FOLDER", help="Search the files of this folder; ids are their paths."
)
@click.option(
    "--include",
    multiple=True,
    metavar="GLOB",
    help="With --corpus: take only files such as this; repeatable.",
)
@mode_option()
@click.option("--k", "depth", type=click.IntRange(10, 1000), default=10, help="Documents ranked for a query.")
@click.option(
    "--part", metavar="I/N", default="1/1", help="Ask only part I of N, divided by a hash of the id."
)
@click.option("--limit", type=click.IntRange(1), help="Ask at most so many queries.")
@click.option(
    "--baseline",
    "baselines",
    type=click.Choice(["grep", "lexical", "none"]),
    multiple=True,
    default=("grep",),
    help="Measure this beside it; repeatable.  [default: grep]",
)
@click.option("--compare", metavar="RUN", help="Compare with an earlier run; exit code 1 if it got worse.")
@click.option("--answers", is_flag=True, help="Also ask the questions whose answers answers.jsonl knows.")
@click.option(
    "--leave-out",
    "left_out",
    type=click.Choice(["relevant", "related"]),
    help="With --answers: ask again without the documents that answer, or without all of their titles.",
)
@click.pass_context
def beir(context: click.Context, /, folder: Path, **flags: Any) -> None:
    """Run the queries of a test set in the layout of BEIR.

    FOLDER holds queries.jsonl, qrels.tsv and corpus.jsonl. The documents are indexed in a temporary folder that is
    deleted afterwards; your knowledge base is not touched, only the run is kept in it (not with --readonly).

    Examples:
      kebab eval beir sets/tydiqa-ko
      kebab eval beir sets/titles --corpus ~/Notes --include "ko/**" --compare last
      kebab eval beir sets/scifact --part 2/2 --json
      kebab eval beir sets/korquad1 --answers --leave-out related
    """
    from kebab_app import EvaluateOptions, choose_mode
    from kebab_wire import wire_eval_run

    from kebab_cli.views.evaluation import render_eval_run

    session = Session(context)
    with session.open_app() as app:
        part, parts = _read_part(flags["part"])
        options = EvaluateOptions(
            corpus=flags["corpus"],
            include=flags["include"],
            mode=choose_mode(app.base, flags["mode"]),
            depth=flags["depth"],
            part=part,
            parts=parts,
            limit=flags["limit"],
            baselines=tuple(dict.fromkeys(name for name in flags["baselines"] if name != "none")),
            compare=flags["compare"],
            answers=flags["answers"],
            left_out=flags["left_out"],
        )
        run = wire_eval_run(_watch(session, app, partial(app.evaluator.evaluate_set, folder, options)))
    if session.console.json:
        session.console.wire(run)
    else:
        render_eval_run(session.console, run)
    context.exit(NO_RESULT if run.comparison is not None and run.comparison.regressed else SUCCESS)


@command.command("compare")
@click.argument("first")
@click.argument("second")
@click.pass_context
def compare(context: click.Context, first: str, second: str) -> None:
    """Compare two runs query by query; FIRST is the baseline.

    A run is named by its id, the beginning of its id, or `last`. Exit code 1: SECOND is worse, and not by chance.
    """
    from kebab_wire import wire_eval_compare

    from kebab_cli.views.evaluation import render_comparison

    session = Session(context)
    with session.open_app() as app:
        comparison = wire_eval_compare(app.evaluator.compare(first, second))
    if session.console.json:
        session.console.wire(comparison)
    else:
        render_comparison(session.console, comparison)
    context.exit(NO_RESULT if comparison.regressed else SUCCESS)


@command.command("list")
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, help="Runs at most.")
@click.pass_context
def list_runs(context: click.Context, *, limit: int) -> None:
    """List the runs that were kept, newest first."""
    from kebab_wire import wire_eval_run_list

    from kebab_cli.views.evaluation import render_eval_runs

    session = Session(context)
    with session.open_app() as app:
        runs = wire_eval_run_list(app.evaluator.runs.list(limit=limit))
    if session.console.json:
        session.console.wire(runs)
    else:
        render_eval_runs(session.console, runs)


@command.command("show")
@click.argument("run")
@click.pass_context
def show(context: click.Context, run: str) -> None:
    """Show a run by its id, the beginning of its id, or `last`."""
    from kebab_wire import wire_eval_run

    from kebab_cli.views.evaluation import render_eval_run

    session = Session(context)
    with session.open_app() as app:
        found = wire_eval_run(app.evaluator.runs.show(run))
    if session.console.json:
        session.console.wire(found)
    else:
        render_eval_run(session.console, found)


def _watch(session: Session, app: App, work: Callable[..., EvaluationRun]) -> EvaluationRun:
    """Run an evaluation with progress; with `--json`, only the run itself is printed."""
    from kebab_cli.progress import make_sink

    progress = _QueryProgress(session.console, app.base.clock)
    if session.console.json:
        return work(sink=_ignore, progress=progress.show)
    with make_sink(session) as sink:
        return work(sink=sink, progress=progress.show)


def _ignore(_event: IngestEvent) -> None:
    pass


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
            self._console.remark(f"{done}/{total} queries")


def _read_part(text: str) -> tuple[int, int]:
    """Parse `I/N`.

    Raises:
        InvalidInputError: It is not a part of a whole.
    """
    from kebab_core import InvalidInputError

    match = _PART.fullmatch(text)
    if match is None or int(match[1]) > int(match[2]):
        raise InvalidInputError(
            f"{text!r} is no part of a whole", hint="--part 1/2 is the first of two halves"
        )
    return int(match[1]), int(match[2])

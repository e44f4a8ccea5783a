"""`kebab eval`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kebab_cli.exit_codes import NO_RESULT, SUCCESS
from kebab_cli.options import KebabGroup
from kebab_cli.session import Session

_FOLDER = click.Path(path_type=Path)


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
@click.option(
    "--mode",
    type=click.Choice(["lexical", "vector", "hybrid"]),
    help="By words, by meaning, or both.  [default: both where a model is configured, else words]",
)
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
    from kebab_cli.evaluation import watch_suite
    from kebab_cli.views.evaluation import render_eval_run

    session = Session(context)
    with session.open_app() as app:
        run = watch_suite(session, app, suite, flags)
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
@click.option(
    "--mode",
    type=click.Choice(["lexical", "vector", "hybrid"]),
    help="By words, by meaning, or both.  [default: both where a model is configured, else words]",
)
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
    from kebab_cli.evaluation import watch_evaluation
    from kebab_cli.views.evaluation import render_eval_run

    session = Session(context)
    with session.open_app() as app:
        run = watch_evaluation(session, app, folder, flags)
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
    from kebab_cli.views.evaluation import render_comparison

    session = Session(context)
    with session.open_app() as app:
        comparison = app.compare_eval_runs(first, second)
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
    from kebab_cli.views.evaluation import render_eval_runs

    session = Session(context)
    with session.open_app() as app:
        runs = app.list_eval_runs(limit=limit)
    if session.console.json:
        session.console.wire(runs)
    else:
        render_eval_runs(session.console, runs)


@command.command("show")
@click.argument("run")
@click.pass_context
def show(context: click.Context, run: str) -> None:
    """Show a run by its id, the beginning of its id, or `last`."""
    from kebab_cli.views.evaluation import render_eval_run

    session = Session(context)
    with session.open_app() as app:
        found = app.show_eval_run(run)
    if session.console.json:
        session.console.wire(found)
    else:
        render_eval_run(session.console, found)

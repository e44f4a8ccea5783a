"""`kebab models`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from kebab_core import Message

from kebab_cli.exit_codes import INTERRUPTED, SUCCESS, UNHEALTHY
from kebab_cli.language import localize, tr
from kebab_cli.options import KebabGroup, wait_option, yes_option
from kebab_cli.render import Console, columns_of, pad, safe, safe_name, show_hint, show_warning
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kebab_app import ModelComparison
    from kebab_core import (
        ChatModelEntry,
        EmbeddingIdentity,
        ModelEntry,
        NliModelEntry,
        RerankerEntry,
        StoredModel,
    )
    from kebab_wire import (
        ModelCleanupV1,
        ModelListV1,
        ModelPullV1,
        ModelSwitchV1,
    )

_STATES = {
    "here": Message("installed"),
    "pullable": Message("not installed (kebab models pull)"),
    "unavailable": Message("no weights on this platform"),
    "damaged": Message("damaged (kebab doctor)"),
}


@click.group(cls=KebabGroup)
def command() -> None:
    """List, download, switch and verify models.

    The model that comes with kebab needs none of this.

    Examples:
      kebab models list
      kebab models pull multilingual-e5-large
      kebab models switch multilingual-e5-large --compare my-questions.yaml
      kebab models switch --back
    """


@command.command("list")
@pass_session
def list_(session: Session, /) -> None:
    """List models that are installed or can be downloaded.

    Lists the embedding models that need no model server, the chat models of the configured server, models that check
    answers, and rerankers.

    Examples:
      kebab models list
      kebab models list --json
    """
    from kebab_app import list_chat_models, list_models, list_nli_models, list_rerankers
    from kebab_core import KebabError
    from kebab_wire import wire_model_list

    loaded = session.load()
    models, nli_models, rerankers = list_models(loaded), list_nli_models(loaded), list_rerankers(loaded)
    chat_models: Sequence[ChatModelEntry] = ()
    problem = None
    try:
        chat_models = list_chat_models(loaded)
    except KebabError as error:
        problem = error.message
    report = wire_model_list(
        models, chat_models, chat_problem=problem, nli_models=nli_models, rerankers=rerankers
    )
    session.console.show(report, render_models)


@command.command("pull")
@click.argument("name")
@pass_session
def pull(session: Session, /, *, name: str) -> None:
    """Download a model and verify it against the hashes of its hub.

    Resumes an interrupted download. Only the requests for the files are sent. The configuration is not changed:
    `kebab models switch` does that. If Ollama is configured for answers, Ollama pulls any other name from its
    library.

    Examples:
      kebab models pull multilingual-e5-large
      kebab models pull qwen3:4b
    """
    from kebab_app import is_for_ollama, licence_of, pull_chat_model, pull_model
    from kebab_wire import wire_model_list, wire_model_pull

    from kebab_cli.byte_progress import show_bytes

    session.require_writable()
    loaded = session.load()
    if is_for_ollama(loaded, name):
        with show_bytes(session.console) as progress:
            pulled = pull_chat_model(loaded, name, progress=progress)
        session.console.show_change(wire_model_list((), (pulled,)), render_chat_models)
        return
    session.console.remark(tr("licence of {name}: {licence}", name=name, licence=licence_of(name)))
    with show_bytes(session.console) as progress:
        report = wire_model_pull(pull_model(loaded, name, progress=progress))
    session.console.show_change(report, render_pull)


@command.command("switch")
@click.argument("name", required=False)
@click.option("--back", is_flag=True, help="Switch back to the previous model.")
@click.option(
    "--compare",
    "suite",
    type=click.Path(path_type=Path),
    metavar="SUITE",
    help="Measure both models on this golden suite, then ask.",
)
@yes_option
@wait_option
@pass_session
def switch(
    session: Session, /, *, name: str | None, back: bool, suite: Path | None, yes: bool, wait: bool
) -> int:
    """Switch to another embedding model once its vectors are complete.

    NAME is a model of `kebab models list`, the configured model, or a folder with a model (model.onnx,
    tokenizer.json). Searches use the previous model until all vectors are computed; then the configuration is
    changed. Ctrl-C stops after the current batch; the same command continues. With --compare, the scores of both
    models on a golden suite (see `kebab eval`) are shown before you decide; without a terminal, only --yes
    switches. The previous vectors are kept for --back until `kebab models gc`.

    Examples:
      kebab models switch multilingual-e5-large
      kebab models switch ~/models/bge-m3 --compare my-questions.yaml
      kebab models switch --back
    """
    from kebab_app import SwitchOptions
    from kebab_core import CancelToken
    from kebab_wire import wire_model_switch

    from kebab_cli.progress import CurrentWork, cancel_on_interrupt, ignore, make_sink

    if (name is None) != back:
        raise click.UsageError(tr("give the name of a model, or --back"))
    cancel = CancelToken()

    def agree(comparison: ModelComparison) -> bool:
        if not session.console.json:
            render_scores(session.console, comparison)
        return yes or _ask(session)

    with session.open_app() as app:
        options = SwitchOptions(name=name, suite=suite, wait=wait)
        with cancel_on_interrupt(cancel, session.console, CurrentWork(ignore, piece="batch")):
            if session.console.json:
                result = app.models.switch(
                    options, load=session.load, agree=agree, sink=ignore, cancel=cancel
                )
            else:
                with make_sink(session) as sink:
                    result = app.models.switch(
                        options, load=session.load, agree=agree, sink=sink, cancel=cancel
                    )
    session.console.show_change(wire_model_switch(result), render_switch)
    return INTERRUPTED if result.aborted else SUCCESS


def _ask(session: Session) -> bool:
    """Ask whether to switch; no where nobody is there to answer."""
    if session.console.json or sys.stdin is None or not sys.stdin.isatty():
        return False
    try:
        return click.confirm(tr("Switch to this model?"), err=True)
    except click.Abort:
        session.console.remark("")  # the question's line is still open
        return False


@command.command("gc")
@yes_option
@pass_session
def gc(session: Session, /, *, yes: bool) -> None:
    """Delete the vectors of models that are not in use.

    Keeps the vectors of the model in use, of the model whose vectors are being computed, and of the configured
    model. After that, `kebab models switch --back` has to compute vectors again.

    Examples:
      kebab models gc
      kebab models gc --yes --json
    """
    from kebab_wire import wire_model_cleanup

    with session.open_app() as app:
        app.require_writable()
        former = app.models.list_former()
        if former:
            session.confirm_deletion(yes=yes, show=lambda: _show_former(session.console, former))
            former = app.models.delete_former()
    session.console.show_change(wire_model_cleanup(former), render_cleanup)


@command.command("verify")
@pass_session
def verify(session: Session, /) -> int:
    """Verify the files and vectors of the model in use.

    Compares every file with its hash, embeds some passages again to compare their vectors with the stored ones, and
    checks stored vectors for damage. Exit code 3: a check failed.

    Examples:
      kebab models verify
      kebab models verify --json
    """
    from kebab_wire import wire_doctor

    from kebab_cli.commands.doctor import render_doctor
    from kebab_cli.remedies import render_remedy

    with session.open_app() as app:
        report = wire_doctor(app.models.verify(), render=render_remedy)
    session.console.show(report, render_doctor)
    return SUCCESS if report.ok else UNHEALTHY


def render_switch(console: Console, report: ModelSwitchV1) -> None:
    """Print which model searches use now, and what stays of the other one."""
    name = _full_name(report.model)
    if report.computed or report.reused:
        console.line(
            tr("{computed} vectors computed, {reused} reused", computed=report.computed, reused=report.reused)
        )
    former = None if report.before is None else _full_name(report.before)
    if report.switched:
        console.line(tr("searches use {model} now", model=name))
        if report.config_path is not None:
            keys = ", ".join(report.changed)
            console.line(tr("written into {path}: {keys}", path=safe(report.config_path), keys=keys))
        if former is not None and report.before != report.model:
            show_hint(
                console,
                Message(
                    "the vectors of {model} stay: kebab models switch --back, or kebab models gc",
                    model=former,
                ),
            )
    elif former is None:
        console.line(tr("not switched"))
    else:
        console.line(tr("not switched: searches use {model}", model=former))
    if not report.switched and report.aborted:
        show_hint(console, Message("the same command continues where it stopped"))
    elif not report.switched and report.run_after is not None:
        show_hint(console, Message("add --yes to switch; kebab models gc deletes the new vectors"))


def render_scores(console: Console, comparison: ModelComparison) -> None:
    """Print the scores of both models, and the difference with its interval."""
    from kebab_cli.views.evaluation import render_comparison

    labels = tr("model in use"), tr("new model")
    for label, run in zip(labels, comparison, strict=True):
        metrics = run.metrics
        console.line(
            f"{pad(label, max(map(columns_of, labels)))}  nDCG@10 {metrics.ndcg_at_10:.4f}  MRR@10 {metrics.mrr_at_10:.4f}  "
            f"hit@1 {metrics.hit_at_1:.4f}"
        )
    if comparison.after.comparison is not None:
        render_comparison(console, comparison.after.comparison)


def _show_former(console: Console, models: Sequence[StoredModel]) -> None:
    from kebab_cli.byte_progress import megabytes

    for each in models:
        console.remark(
            tr(
                "will delete {count} vector of {model} ({size})",
                plural="will delete {count} vectors of {model} ({size})",
                count=each.vectors,
                model=_full_name(each.identity),
                size=megabytes(each.size_bytes),
            )
        )


def render_cleanup(console: Console, report: ModelCleanupV1) -> None:
    """Print the models whose vectors were deleted."""
    from kebab_cli.byte_progress import megabytes

    for each in report.models:
        console.line(f"{tr('deleted')}  {_full_name(each.model)}")
    if not report.models:
        console.line(tr("nothing to delete"))
        return
    console.line(
        tr(
            "{count} vector, {size}",
            plural="{count} vectors, {size}",
            count=report.vectors,
            size=megabytes(report.size_bytes),
        )
    )


def _full_name(model: EmbeddingIdentity) -> str:
    return f"{safe_name(model.model_id)}@{safe_name(model.model_version)}"


def render_models(console: Console, report: ModelListV1) -> None:
    """Print one model a line, with a mark on the one in use."""
    for model in report.models:
        mark = "*" if model.in_use else " "
        name = safe_name(model.name)
        facts = console.hang(_facts(model), used=len(name) + 4)
        console.line(f"{mark} {name}  {console.style(facts, dim=True)}")
    if not any(model.in_use for model in report.models):
        console.line(tr("none of them is in use"))
    render_chat_models(console, report)
    if report.nli_models:
        console.line(tr("models that check answers:"))
    for checking in report.nli_models:
        _render_pair_model(console, checking)
    if report.rerankers:
        console.line(tr("rerankers:"))
    for reranker in report.rerankers:
        is_english = reranker.multilingual is False
        _render_pair_model(console, reranker, tr("English only") if is_english else "")


def _render_pair_model(console: Console, model: NliModelEntry | RerankerEntry, *facts: str) -> None:
    from kebab_cli.byte_progress import megabytes

    state = localize(_STATES[model.state])
    size = megabytes(model.size_bytes) if model.size_bytes else None
    told = " · ".join(filter(None, (state, *facts, size, model.licence)))
    console.line(f"{'*' if model.in_use else ' '} {safe_name(model.name)}  {console.style(told, dim=True)}")


def render_chat_models(console: Console, report: ModelListV1) -> None:
    """Print one chat model a line, with a mark on the one in use, or why they are not known."""
    from kebab_cli.byte_progress import megabytes

    if report.chat_problem:
        show_warning(console, report.chat_problem)
    elif report.chat_models:
        console.line(tr("models for answers:"))
    for model in report.chat_models:
        mark, size = "*" if model.in_use else " ", megabytes(model.size_bytes) if model.size_bytes else ""
        facts = " · ".join(filter(None, (model.kind, size)))
        console.line(f"{mark} {safe_name(model.name)}  {console.style(facts, dim=True)}".rstrip())


def render_pull(console: Console, report: ModelPullV1) -> None:
    """Print the model's folder and the lines for the configuration."""
    from kebab_cli.byte_progress import megabytes

    name, folder = safe_name(report.name), safe_name(report.folder)
    if report.was_here:
        console.line(tr("{name} is installed already: {folder}", name=name, folder=folder))
    else:
        size = megabytes(report.size_bytes)
        console.line(tr("{name} is installed, {size}: {folder}", name=name, size=size, folder=folder))
    from kebab_app import is_nli_model, is_reranker

    if is_reranker(report.name):
        show_hint(console, Message("kebab config set models.reranker {name} uses it", name=name))
    elif is_nli_model(report.name):
        settings = f"kebab config set models.nli.provider onnx; kebab config set models.nli.model {name}"
        show_hint(
            console, Message("{settings}; rag.nli_threshold sets how strict the check is", settings=settings)
        )
    else:
        show_hint(console, Message("kebab models switch {name} uses it", name=name))


def _facts(model: ModelEntry) -> str:
    from kebab_cli.byte_progress import megabytes

    facts = [localize(_STATES[model.state]), tr("provider {provider}", provider=model.provider)]
    facts += [tr("{number} dimensions", number=model.dimensions)] if model.dimensions else []
    facts += [model.precision] if model.precision else []
    facts += [megabytes(model.size_bytes)] if model.size_bytes else []
    return " · ".join([*facts, model.licence])

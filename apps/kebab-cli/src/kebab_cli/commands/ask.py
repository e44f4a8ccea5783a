"""`kebab ask`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from kebab_cli.exit_codes import NO_RESULT, SUCCESS
from kebab_cli.filters import filter_options, flag_error, mode_option, resolve_ids, suggest_values
from kebab_cli.options import KebabCommand, Number, WholeNumber, k_option, words_argument
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_app import AskRequest, KnowledgeBase
    from kebab_core import Answer


@click.command(cls=KebabCommand)
@words_argument("question")
@k_option("Maximum number of passages to read.")
@mode_option("Search full text (lexical), embeddings (vector), or both (hybrid).")
@click.option("--explain", is_flag=True, help="Show what supports each claim, and how it was found.")
@click.option(
    "--stream", is_flag=True, help="Print the answer while it is generated; with --json, as events."
)
@click.option(
    "--show-citations/--hide-citations",
    "citations",
    default=True,
    help="Whether to list the citations below the answer.  [default: show]",
)
@click.option(
    "--temperature",
    type=Number(0, 2),
    help="Sampling temperature of the chat model; quoted answers have none.",
)
@click.option(
    "--seed",
    type=WholeNumber(0, 2**31 - 1),
    help="Random seed of the chat model; quoted answers need none.",
)
@click.option(
    "--session",
    "conversation",
    metavar="NAME",
    help="Continue the conversation of this name, or start it.",
)
@click.option(
    "--multi-hop", is_flag=True, help="Split the question into sub-questions first; needs a chat model."
)
@filter_options
@pass_session
def command(session: Session, /, question: str, **flags: Any) -> int:
    """Answer a question from your documents, with citations.

    Each [n] in the answer is a citation that can be opened. If the documents do not answer, kebab says so and lists
    the nearest passages. Filters limit the documents searched. Full-text syntax (raw:) works in kebab search only.
    Quote characters that the shell interprets, such as ? and *; put a question that begins with - after --. Exit
    code 1: no answer.

    Examples:
      kebab ask how do I roll back a release
      kebab ask "벡터 인덱스는 언제 다시 만드나요?"
      kebab ask "how long does a rollback take?" --tag ops --explain
      kebab ask "청크는 어디에서 나누나요?" --stream --json
      kebab ask "and the second one?" --session release
    """
    from kebab_cli.answer_stream import hold_interrupts, watch_answer

    with hold_interrupts() as release, session.open_app() as app:
        request = _build_request(question, resolve_ids(app, flags), base=app.base)
        stream, citations = flags["stream"], flags["citations"]
        answer, _ = watch_answer(session, app, request, stream=stream, citations=citations, on_asked=release)
        if not answer.grounded and not request.filters.is_empty:
            suggest_values(session.console, app, request.filters)
    return SUCCESS if answer.grounded or _is_partly_proven(answer) else NO_RESULT


def _is_partly_proven(answer: Answer) -> bool:
    """Return True for an answer in which a claim has ✓, and whose only fault is one that is not proven."""
    from kebab_core import ClaimVerdict, RefusalReason

    proven = ClaimVerdict.QUOTED, ClaimVerdict.SUPPORTED
    is_unproven_alone = answer.refusal_reason is RefusalReason.NOT_PROVEN
    return is_unproven_alone and any(claim.verdict in proven for claim in answer.claims)


def _build_request(question: str, flags: Mapping[str, Any], *, base: KnowledgeBase) -> AskRequest:
    from kebab_app import build_ask_request

    wanted = {name: flags[name] for name in ("mode", "k", "explain", "temperature", "seed", "multi_hop")}
    return build_ask_request(
        base, question, filters=flags, complain=flag_error, session=flags["conversation"], **wanted
    )

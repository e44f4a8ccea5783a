r"""Answers of a chat model beside the extractive ones: quotes, citations, claims that failed a check, right and wrong.

    python bench/real_model.py serve ... &           # or any other model
    KEBAB_MODELS_LLM_PROVIDER=openai KEBAB_MODELS_LLM_ENDPOINT=... KEBAB_MODELS_LLM_MODEL=... \
        python -m bench.chat_answers VAULT... --suites en-a ko-a --questions 24 --template rag-v4-json

A third of the questions of each suite are those that no page answers. An answer is right if it holds what its question's
suite says; where no page answers, a refusal is.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import yaml
from kebab_app import App, AskRequest
from kebab_config import load_settings, read_environment
from kebab_core import Answer, AnswerFinal, AnswerToken, RetrievalDone, SearchMode

SUITES = Path(__file__).parent / "suites"


def choose(suites: Sequence[str], count: int) -> list[dict[str, Any]]:
    """Return questions spread over the kinds of each suite, every third without an answer."""
    chosen: list[dict[str, Any]] = []
    for name in suites:
        queries = yaml.safe_load((SUITES / f"vaults-{name}.yaml").read_text(encoding="utf-8"))["queries"]
        answerable = [each for each in queries if each.get("must_contain") and each["kind"] != "search"]
        others = [each for each in queries if each.get("answerable") is False]
        share = count // len(suites)
        few = share // 3
        chosen += [*_spread(answerable, share - few), *_spread(others, few)]
    return chosen


def _spread(queries: Sequence[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    return [queries[at * len(queries) // count] for at in range(count)]


def folded(text: str) -> str:
    """Return a text without white space."""
    return "".join(text.split())


def is_right(answer: Answer, query: Mapping[str, Any]) -> bool:
    """Return True if an answer holds what it must, or is a refusal where no page answers."""
    if query.get("answerable") is False:
        return not answer.grounded
    return answer.grounded and all(
        part.casefold() in answer.answer.casefold() for part in query["must_contain"]
    )


def ask(app: App, question: str, mode: SearchMode) -> tuple[Answer, set[str], float, float]:
    """Return the answer, the citations of the hits, the seconds to the first printed text and to the end."""
    started, first, places = time.monotonic(), 0.0, set[str]()
    with closing(app.ask_stream(AskRequest(question=question, mode=mode))) as events:
        for event in events:
            if isinstance(event, RetrievalDone):
                places = {hit.citation.to_uri() for hit in event.hits}
            elif isinstance(event, AnswerToken):
                first = first or time.monotonic() - started
            elif isinstance(event, AnswerFinal):
                answer = event.answer
    return answer, places, first, time.monotonic() - started


def find_faults(answer: Answer, places: set[str], vaults: Mapping[str, Path]) -> Iterator[str]:
    """Yield `quote` for each quote that its file does not hold, `citation` for each that is outside of the evidence."""
    for cited in answer.citations:
        if cited.marker and (cited.passage is None or cited.passage.to_uri() not in places):
            yield "citation"
    for claim in answer.claims or ():
        for source in claim.sources:
            file = vaults[source.citation.source_id] / source.citation.path
            if source.quote and folded(source.quote) not in folded(file.read_text(encoding="utf-8")):
                yield "quote"


def main() -> None:
    """Ask the questions and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vaults", type=Path, nargs="+", metavar="VAULT")
    parser.add_argument("--suites", nargs="+", default=["en-a", "ko-a"])
    parser.add_argument("--questions", type=int, default=24)
    parser.add_argument("--tokens", type=int, default=450, help="tokens of evidence, at most")
    parser.add_argument("--template", default="rag-v4-json")
    parser.add_argument("--mode", type=SearchMode, default=SearchMode.LEXICAL, choices=list(SearchMode))
    options = parser.parse_args()
    vaults = {folder.name: folder.absolute() for folder in options.vaults}
    with tempfile.TemporaryDirectory(prefix="claims-") as home:
        sources = "".join(
            f'[[workspace.sources]]\nid = "{name}"\nroot = "{folder}"\n' for name, folder in vaults.items()
        )
        config = Path(home, "kebab.toml")
        config.write_text(
            f'schema_version = 1\n[storage]\ndata_dir = "data"\n[rag]\nmax_context_tokens = {options.tokens}\n'
            f'prompt_template_version = "{options.template}"\n{sources}',
            encoding="utf-8",
        )
        environ = read_environment()
        plain = {name: value for name, value in environ.items() if not name.startswith("KEBAB_MODELS_LLM")}
        if options.mode is SearchMode.LEXICAL:
            environ, plain = (
                {**each, "KEBAB_MODELS_EMBEDDING_PROVIDER": "none"} for each in (environ, plain)
            )
        with (
            App(load_settings(config_path=config, environ=environ)) as chat,
            App(load_settings(config_path=config, environ=plain)) as extractive,
        ):
            chat.ingest()
            compare(chat, extractive, choose(options.suites, options.questions), vaults, mode=options.mode)


def compare(
    chat: App,
    extractive: App,
    queries: Sequence[Mapping[str, Any]],
    vaults: Mapping[str, Path],
    *,
    mode: SearchMode,
) -> None:
    """Print a line for each question, and the sums."""
    sums, faults, dropped = Counter[str](), Counter[str](), Counter[str]()
    print(
        "| question | chat | extractive | claims, dropped | s to first, all |\n|---|---|---|---|---|",
        flush=True,
    )
    for query in queries:
        plain, *_ = ask(extractive, query["query"], mode)
        answer, places, first, whole = ask(chat, query["query"], mode)
        wrong = Counter(find_faults(answer, places, vaults))
        faults.update(wrong)
        checks = (
            Counter(each.check.value for each in answer.review.dropped) if answer.review else Counter[str]()
        )
        dropped.update(checks)
        outcome = [_outcome(each, query) for each in (answer, plain)]
        sums.update({f"chat {outcome[0]}": 1, f"extractive {outcome[1]}": 1})
        sums["claims"] += answer.review.written if answer.review else 0
        shown = f"{answer.review.written if answer.review else '-'}, {dict(checks)}, faults {dict(wrong)}"
        print(
            f"| {query['query']} | {outcome[0]} | {outcome[1]} | {shown} | {first:.0f}, {whole:.0f} |",
            flush=True,
        )
        print(
            f"    {answer.answer[:300]!r} {[(each.check.value, each.detail, each.text[:120]) for each in (answer.review.dropped if answer.review else ())]}",
            flush=True,
        )
    print(dict(sums), "faults:", dict(faults), "dropped:", dict(dropped))


def _outcome(answer: Answer, query: Mapping[str, Any]) -> str:
    kind = "answered" if answer.grounded else "not answered"
    return f"{kind}, {'right' if is_right(answer, query) else 'wrong'}"


if __name__ == "__main__":
    main()

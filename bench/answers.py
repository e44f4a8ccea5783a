"""Answers to `bench/questions`, by the lines that they show: right, wrong, not sure or refused, and what near misses get.

Each collection is a base of its own with its folders as sources, kept in `--cache` and brought up to date at every run. A
place is shown if the quotes of an answer hold a line of each of its ranges. "shown" counts places in the first three
quotes whatever the outcome.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import get_args
from uuid import uuid4

from kebab_app import App, AskRequest
from kebab_config import lighten_libraries, load_settings, read_environment
from kebab_core import Answer, RefusalReason, SearchMode

from bench.question_sets import FOLDERS, Part, Place, Question, cited_lines, folder_of, read_questions

COLLECTIONS = {
    **{name: (name,) for name in FOLDERS},
    "fastapi": ("fastapi-en", "fastapi-ko"),
    "wiki": ("wiki-ko",),
    "cppdocs": ("cppdocs-en", "cppdocs-ko"),
}
SHOWN = 3
"""Quotes of an answer that are compared, each with all of its lines; a screen shows no more of one that is not sure."""
Outcome = tuple[str, bool]
"""`answered`, `not_sure` or `refused`, and whether a right place is shown."""


def open_base(collection: str, *, corpora: Path, cache: Path) -> App:
    """Open the base of a collection and bring it up to date."""
    lighten_libraries()  # as every command does, before numpy is loaded
    home = (cache / collection).absolute()
    home.mkdir(parents=True, exist_ok=True)
    config = home / "kebab.toml"
    sources = "".join(
        f"[[workspace.sources]]\nid = {json.dumps(corpus)}\nroot = {json.dumps(str(folder_of(corpus, corpora).absolute()))}\n"
        for corpus in COLLECTIONS[collection]
    )
    config.write_text(f'schema_version = 1\n[storage]\ndata_dir = "data"\n{sources}', encoding="utf-8")
    app = App(load_settings(config_path=config, environ=read_environment()))
    app.ingest()
    return app


def shows(answer: Answer, place: Place) -> bool:
    """Return whether the first quotes of an answer hold a line of each range of a place."""
    citations = [source.citation for claim in answer.claims[:SHOWN] for source in claim.sources]
    spans = [
        lines
        for each in citations
        if (each.source_id, each.path) == (place.corpus, place.path) and (lines := cited_lines(each))
    ]
    return bool(place.lines) and all(
        any(start <= last and end >= first for start, end in spans) for first, last in place.lines
    )


def ask(app: App, question: Question, mode: SearchMode, *, name: str) -> Outcome:
    """Ask a question, a follow-up after its first one, and judge what is shown."""
    session = name if question.earlier else None
    if question.earlier:
        app.ask(AskRequest(question=question.earlier, mode=mode, session=session))
    answer = app.ask(AskRequest(question=question.text, mode=mode, session=session))
    is_weak = answer.refusal_reason is RefusalReason.WEAK_SUPPORT
    outcome = "answered" if answer.grounded else "not_sure" if is_weak else "refused"
    return outcome, any(shows(answer, place) for place in (question.page, *question.also))


def table(results: Mapping[str, Sequence[tuple[Question, Outcome]]]) -> str:
    """Return a row for each group: shares of its answerable questions, then of its near misses."""
    head = (
        "group",
        "asked",
        "✓ right",
        "✓ wrong",
        "shown",
        "refused",
        "✓ precision",
        "near misses",
        "✓",
        "not sure",
    )
    rows = [head, ("---",) * len(head)]
    for name, found in results.items():
        asked = Counter(outcome for question, outcome in found if question.is_answerable)
        missed = Counter(outcome for question, (outcome, _) in found if not question.is_answerable)
        count, near = max(1, asked.total()), max(1, missed.total())
        right, wrong = asked["answered", True], asked["answered", False]
        rows.append((
            name,
            str(asked.total()),
            f"{right / count:.3f}",
            f"{wrong / count:.3f}",
            f"{(right + asked['not_sure', True]) / count:.3f}",
            f"{(asked['refused', False] + asked['refused', True]) / count:.3f}",
            f"{right / max(1, right + wrong):.3f}",
            str(missed.total()),
            f"{missed['answered'] / near:.3f}",
            f"{missed['not_sure'] / near:.3f}",
        ))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def groups(found: Iterable[tuple[str, Question, Outcome]]) -> dict[str, list[tuple[Question, Outcome]]]:
    """Return results by collection, language and kind, and of all."""
    grouped: dict[str, list[tuple[Question, Outcome]]] = defaultdict(list)
    for collection, question, outcome in found:
        for name in ("all", collection, question.language, question.kind):
            grouped[name].append((question, outcome))
    return grouped


def main() -> None:
    """Ask and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--cache", type=Path, default=Path(__file__).parents[1] / ".vaults" / "answers")
    parser.add_argument("--only", nargs="*", choices=COLLECTIONS, default=list(COLLECTIONS))
    parser.add_argument("--parts", nargs="*", choices=get_args(Part), default=["fit", "choose"])
    parser.add_argument("--mode", choices=list(SearchMode), type=SearchMode, default=SearchMode.HYBRID)
    parser.add_argument("--limit", type=int, help="questions of each collection")
    parser.add_argument("--out", type=Path, help="a file for one JSON object of each question")
    options = parser.parse_args()
    found: list[tuple[str, Question, Outcome]] = []
    run = uuid4().hex[:8]  # the base keeps conversations of earlier runs
    for collection in options.only:
        of_collection = [
            each for each in read_questions(*options.parts) if each.page.corpus in COLLECTIONS[collection]
        ]
        with open_base(collection, corpora=options.corpora, cache=options.cache) as app:
            for number, question in enumerate(of_collection[: options.limit]):
                outcome = ask(app, question, options.mode, name=f"bench-{run}-{number}")
                found.append((collection, question, outcome))
    if options.out:
        lines = [
            json.dumps({
                "id": question.id,
                "outcome": outcome,
                "right": right,
                "answerable": question.is_answerable,
            })
            for _, question, (outcome, right) in found
        ]
        options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(table(groups(found)))


if __name__ == "__main__":
    main()

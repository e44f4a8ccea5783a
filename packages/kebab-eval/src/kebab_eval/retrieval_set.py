"""A set of queries with judgements: a folder in the layout of BEIR (Thakur et al., 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kebab_core import InvalidInputError

from kebab_eval.judgements import read_judgements
from kebab_eval.passages import CORPUS_FILE
from kebab_eval.queries import JudgedQuery, read_queries, take_part


@dataclass(frozen=True, kw_only=True, slots=True)
class QueryChoice:
    """Which of a set's queries to ask."""

    part: int = 1
    parts: int = 1
    limit: int | None = None
    """How many at most, the first ones of the part."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RetrievalSet:
    """Queries and judgements; the documents are read one by one with `read_passages`."""

    name: str
    """That of its folder."""
    folder: Path
    queries: tuple[JudgedQuery, ...]
    """Those chosen."""
    skipped: int
    """Queries that cannot be judged."""
    unknown: int = 0
    """Ids of queries that are judged and that the set does not ask."""


def open_retrieval_set(folder: Path, choice: QueryChoice, *, has_corpus: bool = True) -> RetrievalSet:
    """Read what a set asks and how it judges.

    Args:
        folder: Holds `queries.jsonl`, `qrels.tsv` and, unless the documents are elsewhere, `corpus.jsonl`.
        choice: Which queries to ask.
        has_corpus: Whether the documents are in it.

    Returns:
        The set with at least one query.

    Raises:
        InvalidInputError: There is no such folder, a file is missing, empty or broken, or no query that was chosen
            has a relevant document.
    """
    require_folder(folder, hint="name a folder that holds queries.jsonl, qrels.tsv and corpus.jsonl")
    if has_corpus and not (folder / CORPUS_FILE).is_file():
        raise InvalidInputError(
            f"there is no {CORPUS_FILE} in {str(folder)!r}",
            hint="name the folder of its documents with --corpus",
            path=str(folder / CORPUS_FILE),
        )
    found = read_queries(folder, read_judgements(folder))
    chosen = take_part(found.queries, part=choice.part, parts=choice.parts)[: choice.limit]
    if not chosen:
        raise InvalidInputError(
            f"no query in {str(folder)!r} has a relevant document "
            f"({found.skipped} without, {found.unknown} judged that are not asked)",
            hint="check that the query ids of queries.jsonl and qrels.tsv are the same",
            path=str(folder),
        )
    return RetrievalSet(
        name=folder.absolute().name,
        folder=folder,
        queries=tuple(chosen),
        skipped=found.skipped,
        unknown=found.unknown,
    )


def require_folder(folder: Path, *, hint: str) -> None:
    """Do nothing where a folder is.

    Args:
        folder: What should be one.
        hint: What to do where it is not.

    Raises:
        InvalidInputError: Nothing is there, or a file.
    """
    if not folder.is_dir():
        name = str(folder)
        message = f"{name!r} is a file, not a folder" if folder.exists() else f"there is no folder {name!r}"
        raise InvalidInputError(message, hint=hint, path=name)

"""Queries of a test set with their judgements: a folder in the layout of BEIR (Thakur et al., 2021)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize

from kebab_core import InvalidInputError, Message, Remedy, hash_bytes

from kebab_eval.json_lines import LINE_REMEDY, read_id, read_json_lines, read_lines, read_text_field
from kebab_eval.passages import CORPUS_FILE

JUDGEMENTS_FILE = "qrels.tsv"
QUERIES_FILE = "queries.jsonl"
ABSENT = "absent"
"""Kind of queries for topics that no document is about."""
NEAR = "near"
"""Kind of questions on the subject of documents that nothing answers."""
_COLUMNS = 3
_TREC_COLUMNS = 4
_CROSS_COLLECTION_ID = re.compile(r"(?P<own>[^>]+)>[^:]+:(?P<path>.+)", re.DOTALL)
_HANGUL = re.compile(r"[가-힣ᄀ-ᇿ㄰-㆏]")
_LATIN = re.compile(r"[A-Za-z]")

Judgements = Mapping[str, Mapping[str, int]]
"""Query id to document id to grade; a grade above 0 means relevant."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedQuery:
    """A query with its judgements."""

    query_id: str
    text: str
    language: str
    """`ko`, `en`, `mixed` (Hangul and Latin letters) or `other`: by letters, not by meaning."""
    kind: str | None
    """As the set says, if it does."""
    grades: Mapping[str, int]
    """Document id to grade; at least one is above 0 where rankings are measured."""
    excluded: str | None
    """A document that is left out of every ranking of this query."""
    is_complete: bool = True
    """Documents without a grade are not relevant; otherwise nobody judged them."""

    @property
    def has_relevant(self) -> bool:
        """Whether some document is relevant."""
        return any(grade > 0 for grade in self.grades.values())

    def judge(self, doc_id: str) -> bool | None:
        """Look up whether a document is relevant; None where nobody judged it."""
        grade = self.grades.get(doc_id)
        return (False if self.is_complete else None) if grade is None else grade > 0


@dataclass(frozen=True, kw_only=True, slots=True)
class RetrievalSet:
    """Queries and judgements; the documents are read one by one with `read_passages`."""

    name: str
    """Name of its folder."""
    folder: Path
    queries: tuple[JudgedQuery, ...]
    """The chosen ones."""
    skipped: int
    """Number of queries without a relevant document."""
    unknown: int = 0
    """Number of judged query ids that are not in the set."""


def open_retrieval_set(
    folder: Path, *, part: int = 1, parts: int = 1, limit: int | None = None, has_corpus: bool = True
) -> RetrievalSet:
    """Read the queries and judgements of a set.

    Args:
        folder: Holds `queries.jsonl`, `qrels.tsv` and, unless the documents are elsewhere, `corpus.jsonl`.
        part: The part of the queries to take; see `part_of`.
        parts: Number of parts.
        limit: Maximum number of queries, the first ones of the part.
        has_corpus: The set holds its own documents.

    Returns:
        The set with at least one query.

    Raises:
        InvalidInputError: There is no such folder, a file is missing, empty or broken, or no query that was chosen
            has a relevant document.
    """
    require_folder(
        folder,
        remedy=Remedy(advice=Message("name a folder that holds queries.jsonl, qrels.tsv and corpus.jsonl")),
    )
    if has_corpus and not (folder / CORPUS_FILE).is_file():
        raise InvalidInputError(
            "there is no {corpus_file} in {folder!r}",
            remedy=Remedy(kind="name_corpus"),
            path=str(folder / CORPUS_FILE),
            _corpus_file=CORPUS_FILE,
            _folder=str(folder),
        )
    judgements = read_judgements(folder)
    queries = _read_queries(folder / QUERIES_FILE, judgements)
    judged = [query for query in queries if query.has_relevant]
    skipped, unknown = (
        len(queries) - len(judged),
        len(judgements.keys() - {each.query_id for each in queries}),
    )
    chosen = [query for query in judged if part_of(query.query_id, parts=parts) == part][:limit]
    if not chosen:
        raise InvalidInputError(
            "no query in {path!r} has a relevant document ({skipped} without, {unknown} judged that are "
            "not asked)",
            remedy=Remedy(
                advice=Message(
                    "check that the ids of {first} and {second} are the same",
                    first="queries.jsonl",
                    second="qrels.tsv",
                )
            ),
            path=str(folder),
            _skipped=skipped,
            _unknown=unknown,
        )
    return RetrievalSet(
        name=folder.absolute().name, folder=folder, queries=tuple(chosen), skipped=skipped, unknown=unknown
    )


def require_folder(folder: Path, *, remedy: Remedy) -> None:
    """Check that a folder exists.

    Args:
        folder: Its path.
        remedy: Of the error.

    Raises:
        InvalidInputError: It does not exist, or is a file.
    """
    if not folder.is_dir():
        name = str(folder)
        message = (
            Message("{name!r} is a file, not a folder", name=name)
            if folder.exists()
            else Message("there is no folder {name!r}", name=name)
        )
        raise InvalidInputError(message, remedy=remedy, path=name)


def read_judgements(folder: Path) -> Judgements:
    """Read the judgements of a set.

    A line is `query-id`, `corpus-id`, `score`, between tabs, or the four columns of trec_eval. The first line may be
    a heading. The last of two judgements of one pair holds.

    Args:
        folder: Holds `qrels.tsv`.

    Returns:
        Grades; ids in NFC.

    Raises:
        InvalidInputError: The file cannot be read, or a line has other columns.
    """
    path = folder / JUDGEMENTS_FILE
    judgements: dict[str, dict[str, int]] = {}
    for number, line in read_lines(path):
        columns = line.split("\t")
        if len(columns) == _TREC_COLUMNS:
            del columns[1]  # the iteration, which nothing uses
        grade = _grade(columns)
        if grade is None:
            if number == 1 and len(columns) == _COLUMNS:
                continue  # the heading
            raise InvalidInputError(
                "line {line} of {path!r} is no judgement",
                remedy=Remedy(
                    advice=Message(
                        "every line is {value}", value="query-id, corpus-id and a whole number, between tabs"
                    )
                ),
                path=str(path),
                line=number,
            )
        query_id, doc_id = (normalize("NFC", text.strip()) for text in columns[:2])
        judgements.setdefault(query_id, {})[doc_id] = grade
    return judgements


def _grade(columns: list[str]) -> int | None:
    try:
        return int(columns[2]) if len(columns) == _COLUMNS else None
    except ValueError:
        return None


def _read_queries(path: Path, judgements: Judgements) -> list[JudgedQuery]:
    """Read the queries of a set, each line with `_id`, `text` and perhaps `kind`; ids in NFC.

    A query id of the form `A>B:PATH` asks in one collection for the counterpart in another; the document `A/PATH`,
    which the query was taken from, is left out of its ranking. Where no judgement in the set is 0 or below, nobody
    looked for documents that are not relevant, and the relevant ones are taken to be all.

    Raises:
        InvalidInputError: The file cannot be read or has no queries, a line has no `_id` or `text`, or two different
            ones have the same `_id`; the same query twice counts once.
    """
    asked: dict[str, JudgedQuery] = {}
    is_complete = all(grade > 0 for grades in judgements.values() for grade in grades.values())
    for line, fields in read_json_lines(path):
        query_id = read_id(fields, path=path, line=line)
        text = read_text_field(fields, "text", path=path, line=line, needed=True)
        kind = fields.get("kind")
        counterpart = _CROSS_COLLECTION_ID.fullmatch(query_id)
        query = JudgedQuery(
            query_id=query_id,
            text=text,
            language=classify_language(text),
            kind=kind if isinstance(kind, str) and kind else None,
            grades=judgements.get(query_id, {}),
            excluded=f"{counterpart['own']}/{counterpart['path']}" if counterpart else None,
            is_complete=is_complete,
        )
        if asked.setdefault(query_id, query).text != text:
            raise InvalidInputError(
                "line {line} of {path!r} asks something else under the id {query_id!r} of an earlier line",
                remedy=Remedy(advice=Message("give every {name} an id of its own", name="query")),
                path=str(path),
                line=line,
                _query_id=query_id,
            )
    if not asked:
        raise InvalidInputError("there are no queries in {path!r}", remedy=LINE_REMEDY, path=str(path))
    return list(asked.values())


def part_of(query_id: str, *, parts: int) -> int:
    """Return the part, from 1 to `parts`, that a query belongs to, of parts that are about equally large.

    The division follows a hash of the id, so that it is the same on every machine and whatever else is in the set: choose on
    one part, report the other.
    """
    return int(hash_bytes(query_id.encode("utf-8", "surrogatepass"))[:8], 16) % parts + 1


def classify_language(text: str) -> str:
    """Classify a text by its letters: `ko`, `en`, `mixed` or `other`."""
    hangul, latin = _HANGUL.search(text), _LATIN.search(text)
    if hangul:
        return "mixed" if latin else "ko"
    return "en" if latin else "other"

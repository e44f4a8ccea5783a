"""Golden suites: questions about one's own documents with expected passages and texts, in YAML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from kebab_core import GoldenMetrics, InvalidInputError, Message, Model, Remedy, SearchHit
from pydantic import Field, ValidationError

from kebab_eval.answers import Question
from kebab_eval.metrics import mean_of
from kebab_eval.queries import ABSENT, JudgedQuery, classify_language

_SEARCHED_KINDS = frozenset({
    "search",
    "name",
    "title",
    "alias",
    "heading",
    "keyword",
    "symbol",
    "misspelt",
    "message",
})
"""Kinds of queries that are no questions."""


class GoldenQuery(Model):
    """One question with what it expects; a field that is not given is not measured."""

    id: str = Field(min_length=1)
    query: str = Field(min_length=1)
    kind: str | None = None
    """Results are also shown by kind."""
    answerable: bool = True
    """False where the right answer is a refusal."""
    asked: bool | None = None
    """False where it is searched for and not asked; None is False for names, titles and other kinds of searches."""
    expected_doc_ids: tuple[str, ...] = ()
    """All documents that answer it: ids, paths in their source, or `SOURCE:PATH`."""
    expected_chunk_ids: tuple[str, ...] = ()
    """Passages that answer it: ids, `path#heading`, or `path#Outer.name` of source code."""
    must_contain: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()


class GoldenSuite(Model):
    """Questions with the documents they are about."""

    suite: str = ""
    """Its name; that of the file where it is not given."""
    corpus: str | None = None
    """Folder of the documents, relative to the file; None means those of the knowledge base in force."""
    include: tuple[str, ...] = ()
    """Patterns of files to take from it; none takes all."""
    queries: tuple[GoldenQuery, ...] = Field(min_length=1)

    @property
    def document_names(self) -> frozenset[str]:
        """Every name of an expected document."""
        return frozenset(name for query in self.queries for name in query.expected_doc_ids)

    def with_documents(self, named: Mapping[str, Sequence[str]]) -> GoldenSuite:
        """Return the suite with its documents named as in the index.

        Args:
            named: Documents of each name; a name that is not among them stays.
        """
        return self.model_copy(
            update={
                "queries": tuple(
                    query.model_copy(
                        update={
                            "expected_doc_ids": tuple(
                                dict.fromkeys(
                                    document
                                    for name in query.expected_doc_ids
                                    for document in named.get(name, (name,))
                                )
                            )
                        }
                    )
                    for query in self.queries
                )
            }
        )

    def to_searches(self) -> tuple[JudgedQuery, ...]:
        """Return all queries, as queries to rank documents for; those that expect none have no grades.

        The documents that a query expects are all that are relevant; where it expects none, only the kind `absent`
        says that none is.
        """
        return tuple(
            JudgedQuery(
                query_id=each.id,
                text=each.query,
                language=classify_language(each.query),
                kind=each.kind,
                grades=dict.fromkeys(each.expected_doc_ids, 1),
                excluded=None,
                is_complete=bool(each.expected_doc_ids) or each.kind == ABSENT,
            )
            for each in self.queries
        )

    def to_questions(self) -> list[Question]:
        """Return the questions to ask."""
        return [
            Question(
                query_id=each.id,
                text=each.query,
                language=classify_language(each.query),
                kind=each.kind,
                answerable=each.answerable,
                relevant=frozenset(each.expected_doc_ids),
                must_contain=each.must_contain,
                forbidden=each.forbidden,
            )
            for each in self.queries
            if (each.kind not in _SEARCHED_KINDS if each.asked is None else each.asked)
        ]


class GoldenResult(Model):
    """Figures of the first `k` hits of one query; None where the query expects nothing of the kind."""

    query_id: str
    hit_at_k: bool | None = None
    """An expected passage is among them."""
    reciprocal_rank: float | None = None
    """Of the first expected passage; 0 where there is none."""
    precision_at_k_chunk: float | None = None
    """Expected passages among them over `k`, also where fewer were found."""
    recall_at_k_doc: float | None = None
    """Share of the expected documents that are among them."""


def read_golden_suite(path: Path) -> GoldenSuite:
    """Read a suite.

    Args:
        path: YAML, UTF-8: `queries`, and perhaps `suite`, `corpus` and `include`.

    Returns:
        The suite, with a name.

    Raises:
        InvalidInputError: The file cannot be read, is no YAML, does not have this shape, or has an id twice.
    """
    suite = _parse(path)
    ids = [query.id for query in suite.queries]
    twice = next((name for name in ids if ids.count(name) > 1), None)
    if twice is not None:
        raise InvalidInputError(
            "cannot use the suite {path!r}: the id {twice!r} occurs twice",
            remedy=Remedy(advice=Message("give every {name} an id of its own", name="question")),
            path=str(path),
            _twice=twice,
        )
    return suite.model_copy(update={"suite": suite.suite or path.stem})


def measure_hits(query: GoldenQuery, hits: Sequence[SearchHit], *, k: int) -> GoldenResult:
    """Measure the first `k` hits of one query.

    Args:
        query: The expected passages and documents.
        hits: The hits, best first.
        k: Number of hits to measure; also the denominator of the precision.
    """
    expected, documents = set(query.expected_chunk_ids), set(query.expected_doc_ids)
    right = [not expected.isdisjoint(_chunk_names(hit)) for hit in hits[:k]]
    found = documents.intersection(
        name for hit in hits[:k] for name in (hit.doc_id, hit.doc_path, f"{hit.source_id}:{hit.doc_path}")
    )
    return GoldenResult(
        query_id=query.id,
        hit_at_k=any(right) if expected else None,
        reciprocal_rank=(1 / (right.index(True) + 1) if any(right) else 0.0) if expected else None,
        precision_at_k_chunk=sum(right) / k if expected else None,
        recall_at_k_doc=len(found) / len(documents) if documents else None,
    )


def _chunk_names(hit: SearchHit) -> set[str]:
    """List the names of a hit's passage in a suite."""
    parts = hit.heading_path
    symbols = {".".join(parts[start:]) for start in range(len(parts))}
    return {hit.chunk_id, *(f"{hit.doc_path}#{name}" for name in symbols.union(parts))}


def summarize_golden(results: Sequence[GoldenResult], *, k: int) -> GoldenMetrics:
    """Average the results, each figure over the queries that it is measured for."""
    return GoldenMetrics(
        k=k,
        chunk_queries=sum(result.hit_at_k is not None for result in results),
        doc_queries=sum(result.recall_at_k_doc is not None for result in results),
        hit_at_k=mean_of(result.hit_at_k for result in results),
        mrr=mean_of(result.reciprocal_rank for result in results),
        precision_at_k_chunk=mean_of(result.precision_at_k_chunk for result in results),
        recall_at_k_doc=mean_of(result.recall_at_k_doc for result in results),
    )


def _parse(path: Path) -> GoldenSuite:
    import yaml

    try:
        return GoldenSuite.model_validate(yaml.safe_load(path.read_text(encoding="utf-8-sig")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
        raise InvalidInputError(
            "cannot use the suite {path!r}: {error}",
            remedy=Remedy(advice=Message("docs/evaluation.md shows how a suite is written")),
            path=str(path),
            _error=_explain(error),
        ) from error


def _explain(error: Exception) -> str:
    match error:
        case OSError():
            return str(error.strerror).lower()
        case ValidationError():
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            return f"{place or 'the whole'}: {first['msg']}"
    return "it is no YAML in UTF-8"

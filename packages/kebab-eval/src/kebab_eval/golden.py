"""Golden suites: questions about one's own documents with what a good result has to hold, in YAML."""

from __future__ import annotations

from pathlib import Path

from kebab_core import InvalidInputError, Model
from pydantic import Field, ValidationError

from kebab_eval.asked import AskedQuery
from kebab_eval.queries import JudgedQuery, tell_language


class GoldenQuery(Model):
    """One question; what is not given is not measured."""

    id: str = Field(min_length=1)
    query: str = Field(min_length=1)
    kind: str | None = None
    """Results are also shown by kind."""
    answerable: bool = True
    """Whether the documents answer it."""
    expected_doc_ids: tuple[str, ...] = ()
    """Documents that answer it: ids, or paths in their source."""
    expected_chunk_ids: tuple[str, ...] = ()
    """Passages that answer it: ids, or `path#heading`."""
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

    def judged(self) -> tuple[JudgedQuery, ...]:
        """Return the questions that name documents, as queries to rank documents for."""
        return tuple(
            JudgedQuery(
                query_id=each.id,
                text=each.query,
                language=tell_language(each.query),
                kind=each.kind,
                grades=dict.fromkeys(each.expected_doc_ids, 1),
                excluded=None,
            )
            for each in self.queries
            if each.expected_doc_ids
        )

    def asked(self) -> list[AskedQuery]:
        """Return all questions, as questions to ask."""
        return [
            AskedQuery(
                query_id=each.id,
                text=each.query,
                language=tell_language(each.query),
                answerable=each.answerable,
                relevant=frozenset(each.expected_doc_ids),
                must_contain=each.must_contain,
                forbidden=each.forbidden,
            )
            for each in self.queries
        ]


def read_golden_suite(path: Path) -> GoldenSuite:
    """Read a suite.

    Args:
        path: YAML, UTF-8: `queries`, and perhaps `suite`, `corpus` and `include`.

    Returns:
        The suite, named.

    Raises:
        InvalidInputError: The file cannot be read, is no YAML, does not have this shape, or has an id twice.
    """
    suite = _parse(path)
    ids = [query.id for query in suite.queries]
    twice = next((name for name in ids if ids.count(name) > 1), None)
    if twice is not None:
        raise InvalidInputError(
            f"cannot use the suite {str(path)!r}: the id {twice!r} occurs twice",
            hint="give every question an id of its own",
            path=str(path),
        )
    return suite.model_copy(update={"suite": suite.suite or path.stem})


def _parse(path: Path) -> GoldenSuite:
    import yaml

    try:
        return GoldenSuite.model_validate(yaml.safe_load(path.read_text(encoding="utf-8-sig")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
        raise InvalidInputError(
            f"cannot use the suite {str(path)!r}: {_explain(error)}",
            hint="docs/evaluation.md shows how a suite is written",
            path=str(path),
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

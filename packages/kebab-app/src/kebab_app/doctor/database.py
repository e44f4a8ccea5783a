"""Whether the database and the index of words are in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import KebabError

from kebab_app.doctor.finding import Problem

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase

_REPAIR = "kebab doctor --repair"
_START_OVER = (
    "kebab reset --data-only, then kebab ingest, which makes all documents anew from your files; stored answers and "
    "eval runs are lost, so copy the data folder first if you want them"
)


def check_sqlite_open(base: KnowledgeBase) -> str:
    """Return what the database holds."""
    if not base.has_database:
        return "no database yet (kebab ingest makes it)"
    database = base.open_for_reading()
    return f"kebab.sqlite (schema v{database.schema_version}, {base.documents.stats().doc_count} documents)"


def check_sqlite_integrity(base: KnowledgeBase) -> str:
    """Return that nothing in it is damaged.

    Raises:
        Problem: It is not in order.
    """
    if not base.has_database:
        return "no database yet"
    from kebab_store_sqlite import check_integrity

    problems = check_integrity(base.open_for_reading())
    if problems:
        raise Problem(
            problems[0],
            hint=find_way_out(base),
        )
    return "no damage found"


def check_lexical_index(base: KnowledgeBase) -> str:
    """Return how large the index of words is.

    Raises:
        Problem: It is not in order.
    """
    if not base.has_database:
        return "no database yet"
    stored = base.lexical_index.analyzer_version()
    if stored is None:
        return "empty"
    if stored != base.analyzer.version:
        raise Problem(
            f"made by {stored}, this kebab analyses with {base.analyzer.version}", hint="kebab ingest"
        )
    chunks = base.lexical_index.corpus_size()
    return f"{chunks} chunk{'' if chunks == 1 else 's'}, {stored}"


def check_korean_analysis(base: KnowledgeBase) -> str:
    """Return what analyses Korean.

    Raises:
        Problem: It is not in order.
    """
    if not base.analyzer.analyze("형태소 분석"):
        raise Problem("the Korean dictionary finds no words", hint="reinstall kebab")
    return base.analyzer.version


def find_way_out(base: KnowledgeBase) -> str:
    """Return what helps a damaged database: full-text indexes are made anew, with anything else all of it is."""
    from kebab_store_sqlite import check_tables

    try:
        damage = check_tables(base.open_for_reading())
    except KebabError:
        return _START_OVER
    return _START_OVER if damage else _REPAIR

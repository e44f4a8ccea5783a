"""All examples together."""

from __future__ import annotations

from kebab_wire.base import WireObject
from kebab_wire.examples.answers import build_answers
from kebab_wire.examples.bulk_searches import build_bulk_searches
from kebab_wire.examples.documents import build_documents
from kebab_wire.examples.evaluations import build_evaluations
from kebab_wire.examples.explanations import build_explanations
from kebab_wire.examples.reports import build_reports
from kebab_wire.examples.runs import build_runs
from kebab_wire.examples.searches import build_searches


def build_examples() -> dict[str, WireObject]:
    """Return every example by name: the object's, then what is special about it after a dot."""
    builders = (
        build_searches,
        build_bulk_searches,
        build_answers,
        build_documents,
        build_runs,
        build_reports,
        build_evaluations,
        build_explanations,
    )
    return {name: example for build in builders for name, example in build().items()}

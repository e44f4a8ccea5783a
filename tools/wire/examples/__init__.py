"""Examples of every wire object, by name."""

from __future__ import annotations

from kebab_wire import WireObject

from tools.wire.examples.answers import build_answers, build_explanations
from tools.wire.examples.documents import build_documents
from tools.wire.examples.evaluations import build_evaluations
from tools.wire.examples.reports import build_reports
from tools.wire.examples.runs import build_runs
from tools.wire.examples.searches import build_bulk_searches, build_searches


def build_examples() -> dict[str, WireObject]:
    """Return every example by name: that of the object, then, after a dot, that of the case."""
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

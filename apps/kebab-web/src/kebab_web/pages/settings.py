"""Settings in force, and where each comes from."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from kebab_wire import wire_config_report

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from kebab_web.site import Site


def settings(site: Site, request: Request) -> Response:
    """Show all settings by section; those that are set stand out."""
    report = wire_config_report(site.app.loaded)
    sections = [
        (section, list(keys))
        for section, keys in groupby(report.keys, lambda each: each.key.rpartition(".")[0])
    ]
    return site.render(request, "settings.html", report=report, sections=sections)


HANDLERS = [
    ("GET", "/settings", settings),
]

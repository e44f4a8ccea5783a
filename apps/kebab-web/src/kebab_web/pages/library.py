"""Library, health and settings: what is read, how far, whether all is well, and where each setting comes from."""

from __future__ import annotations

import os
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_app import PageLimits, build_overview, initialize
from kebab_config import read_environment
from kebab_core import InvalidInputError, SearchFilters
from kebab_wire import wire_config_report
from kebab_words import list_gaps
from starlette.responses import JSONResponse, RedirectResponse, Response

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kebab_app import Overview
    from starlette.datastructures import QueryParams
    from starlette.requests import Request

    from kebab_web.site import Site

_RECENT = 40
_TAGS = 60
_SEE_OTHER = 303
_USUAL_FOLDERS = ("Documents", "문서", "Notes", "notes", "Obsidian")
_VAULT = ".obsidian"
_MAX_ENTRIES = 500
"""Entries of a folder that are looked at for vaults."""
_MAX_SUGGESTED = 6


def library(site: Site, request: Request) -> Response:
    """Show sources, tags, folders and what changed last."""
    overview = build_overview(site.app.base)
    if not overview.is_set_up or overview.coverage is None:
        return show_start(site, request, overview)
    everything = SearchFilters()
    site.suggest(site.words_of(request), overview)
    return site.render(
        request,
        "library.html",
        overview=overview,
        gaps=list_gaps(overview.coverage, with_failed=False),
        tags=site.app.count_documents("tags", everything)[:_TAGS],
        folders=[
            each
            for each in site.app.count_documents("folders", everything)
            if each.name.rpartition(":")[2] not in {"", ".", "/"}
        ][:_TAGS],
        recent=site.app.list_page(everything, order="recent", limits=PageLimits(limit=_RECENT)).documents,
    )


def show_start(site: Site, request: Request, overview: Overview) -> Response:
    """Show the first run: which folder is to be read, or how far reading is."""
    return site.render(
        request,
        "start.html",
        overview=overview,
        folders=() if overview.is_set_up else _suggest_folders(Path.home()),
    )


def _suggest_folders(home: Path) -> list[Path]:
    """List folders in a home folder that are likely to hold documents: vaults first, then the usual names."""
    usual = [home / name for name in _USUAL_FOLDERS if (home / name).is_dir()]
    vaults = [each for folder in (home, *usual) for each in _list_vaults(folder)]
    return [*dict.fromkeys([*vaults, *usual])][:_MAX_SUGGESTED]


def _list_vaults(folder: Path) -> Iterator[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [
                each.name for each in islice(entries, _MAX_ENTRIES) if each.is_dir(follow_symlinks=False)
            ]
    except OSError:
        return
    if _VAULT in names:
        yield folder
    yield from (folder / name for name in sorted(names) if (folder / name / _VAULT).is_dir())


def set_up(site: Site, _request: Request, form: QueryParams) -> Response:
    """Write the configuration for a folder, and begin to read it.

    Raises:
        InvalidInputError: It is no folder, or a knowledge base is set up already.
    """
    site.app.require_writable()
    given = form.get("folder", "").strip()
    folder = Path(given).expanduser() if given else Path()
    if not given or not folder.is_absolute() or not folder.is_dir():
        raise InvalidInputError("{folder!r} is no folder on this machine", folder=given)
    if build_overview(site.app.base).is_set_up:
        raise InvalidInputError("a folder is set up already; `kebab config add-source` adds another")
    initialize(config_path=site.options.config, root=folder, environ=read_environment())
    site.reload()
    site.work.start(follow=site.options.watches)
    return RedirectResponse("/library", _SEE_OTHER)


def read_changes(site: Site, _request: Request, form: QueryParams) -> Response:
    """Begin to read what has changed; documents whose files are gone are dropped where that is asked for."""
    kind = form.get("do") or "ingest"
    site.work.start(kind, follow=site.options.watches and kind == "ingest")
    return RedirectResponse("/library", _SEE_OTHER)


def stop_reading(site: Site, _request: Request, _form: QueryParams) -> Response:
    """Stop after the file in hand."""
    site.work.stop()
    return RedirectResponse("/library", _SEE_OTHER)


def show_work(site: Site, request: Request) -> Response:
    """Return how far reading is."""
    overview = build_overview(site.app.base)
    html = site.render_text(request, "work.html", overview=overview)
    running = site.work.is_running or overview.work is not None or site.work.is_kept_out
    return JSONResponse({"running": running, "html": html.strip()})


def repair(site: Site, request: Request, _form: QueryParams) -> Response:
    """Repair what can be repaired, and show the checks."""
    site.app.require_writable()
    return site.render(request, "health.html", report=site.app.doctor(repair=True))


def health(site: Site, request: Request) -> Response:
    """Show the checks of the doctor."""
    return site.render(request, "health.html", report=site.app.doctor())


def settings(site: Site, request: Request) -> Response:
    """Show all settings by section; those that are set stand out."""
    report = wire_config_report(site.app.loaded)
    sections = [
        (section, list(keys))
        for section, keys in groupby(report.keys, lambda each: each.key.rpartition(".")[0])
    ]
    return site.render(request, "settings.html", report=report, sections=sections)


HANDLERS = [
    ("GET", "/library", library),
    ("POST", "/start", set_up),
    ("POST", "/library/read", read_changes),
    ("POST", "/library/stop", stop_reading),
    ("GET", "/x/work", show_work),
    ("GET", "/health", health),
    ("POST", "/health/repair", repair),
    ("GET", "/settings", settings),
]

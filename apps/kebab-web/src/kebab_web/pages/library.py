"""Library, health and settings: what is read, how far, whether all is well, and where each setting comes from."""

from __future__ import annotations

import os
from collections import Counter
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_app import PageLimits, add_folder, build_overview, initialize, require_provider
from kebab_config import config_keys, read_environment, set_value
from kebab_core import InvalidInputError, SearchFilters, media_type_of
from kebab_wire import wire_config_report
from kebab_words import list_gaps
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kebab_app import Overview
    from kebab_core import NamedCount
    from starlette.datastructures import QueryParams
    from starlette.requests import Request

    from kebab_web.site import Site

_RECENT = 40
_NAMED = 60
"""Tags and folders that are listed."""
_SEE_OTHER = 303
_USUAL_FOLDERS = ("Documents", "문서", "Notes", "notes", "Obsidian")
_VAULT = ".obsidian"
_MAX_ENTRIES = 500
"""Entries of a folder that are looked at."""
_MAX_COUNTED = 5000
"""Files of a folder, and of those in it, that are counted."""
_MAX_SUGGESTED = 6


def library(site: Site, request: Request) -> Response:
    """Show sources, tags, folders and what changed last."""
    overview = build_overview(site.app.base)
    if not overview.is_set_up or overview.coverage is None:
        return show_start(site, request, overview)
    everything = SearchFilters()
    site.suggest(site.words_of(request), overview.coverage.documents_indexed)
    tags, folders = count_named(site, everything, limit=_NAMED)
    return site.render(
        request,
        "library.html",
        overview=overview,
        gaps=list_gaps(overview.coverage, with_failed=False),
        tags=tags,
        folders=folders,
        recent=site.app.list_page(everything, order="recent", limits=PageLimits(limit=_RECENT)).documents,
    )


def count_named(
    site: Site, criteria: SearchFilters, *, limit: int
) -> tuple[list[NamedCount], list[NamedCount]]:
    """Count documents by tag, and by folder but for the uppermost ones."""
    tags, folders = (site.app.count_documents(by, criteria) for by in ("tags", "folders"))
    lower = [each for each in folders if each.name.rpartition(":")[2] not in {"", ".", "/"}]
    return tags[:limit], lower[:limit]


def choose_folder(site: Site, request: Request) -> Response:
    """Show folders of which one is to be read: likely ones, or those in the folder that the address names (`folder`)."""
    return show_start(site, request, build_overview(site.app.base), chooses=True)


def show_start(site: Site, request: Request, overview: Overview, *, chooses: bool = False) -> Response:
    """Show the first run: which folder is to be read, or how far reading is."""
    home, chosen, found = Path.home(), None, []
    if chooses or not overview.is_set_up:
        inside = Path(os.path.normpath(home / request.query_params.get("folder", "..")))
        chosen = inside if inside.is_relative_to(home) else None
        found = _list_folders(chosen) if chosen else _suggest_folders(home)
    return site.render(
        request,
        "start.html",
        overview=overview,
        chooses=chooses,
        home=home,
        chosen=chosen,
        counts=_count_files(chosen) if chosen else (),
        folders=[(each, () if chosen else _count_files(each)) for each in found],
    )


def _suggest_folders(home: Path) -> list[Path]:
    """List folders in a home folder that are likely to hold documents: vaults first, then the usual names."""
    usual = [home / name for name in _USUAL_FOLDERS if (home / name).is_dir()]
    likely = (each for folder in (home, *usual) for each in (folder, *_list_folders(folder)))
    vaults = [each for each in likely if (each / _VAULT).is_dir()]
    return [*dict.fromkeys([*vaults, *usual])][:_MAX_SUGGESTED]


def _list_folders(folder: Path) -> list[Path]:
    """List the folders in a folder that are not hidden, by name; none where it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            near = islice(entries, _MAX_ENTRIES)
            found = [each.name for each in near if each.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return [folder / name for name in sorted(found) if not name.startswith(".")]


def _count_files(folder: Path) -> list[tuple[str, int]]:
    """Count files that may be read by medium, the most first; hidden folders are left out, and files beyond `_MAX_COUNTED`."""

    def list_names() -> Iterator[str]:
        for _, folders, names in os.walk(folder):
            folders[:] = [each for each in folders if not each.startswith(".")]
            yield from names

    kinds = Counter[str](media_type_of(name).kind for name in islice(list_names(), _MAX_COUNTED))
    del kinds["other"]
    return kinds.most_common()


def set_up(site: Site, _request: Request, form: QueryParams) -> Response:
    """Write the configuration for a folder, or add it to the one there is, and begin to read it.

    Raises:
        ConfigNotFoundError: There is a knowledge base without a configuration file.
        InvalidInputError: It is no folder, or a source has its files already.
    """
    site.app.require_writable()
    given = form.get("folder", "").strip()
    folder = Path(given).expanduser() if given else Path()
    if not given or not folder.is_absolute() or not folder.is_dir():
        raise InvalidInputError("{folder!r} is no folder on this machine", folder=given)
    if build_overview(site.app.base).is_set_up:
        add_folder(site.app.loaded, folder)
    else:
        initialize(config_path=site.options.config, root=folder, environ=read_environment())
    site.reload()
    site.work.start(site.app, follow=site.options.watches)
    return RedirectResponse("/library", _SEE_OTHER)


def read_changes(site: Site, _request: Request, form: QueryParams) -> Response:
    """Begin to read what has changed; documents whose files are gone are dropped where that is asked for."""
    kind = form.get("do") or "ingest"
    site.work.start(site.app, kind, follow=site.options.watches and kind == "ingest")
    return RedirectResponse("/library", _SEE_OTHER)


def stop_reading(site: Site, _request: Request, _form: QueryParams) -> Response:
    """Stop after the file in hand."""
    site.work.stop()
    return RedirectResponse("/library", _SEE_OTHER)


def show_work(site: Site, request: Request) -> Response:
    """Return how far reading is."""
    overview = build_overview(site.app.base)
    html = site.render_text(request, "work.html", overview=overview)
    running = site.work.is_running or overview.work is not None
    return JSONResponse({"running": running, "html": html.strip()})


def repair(site: Site, request: Request, _form: QueryParams) -> Response:
    """Repair what can be repaired, and show the checks."""
    site.app.require_writable()
    report = site.app.doctor(repair=True)
    return site.render(request, "health.html", checks=report.checks, repaired=report.repaired)


def health(site: Site, request: Request) -> Response:
    """Show the checks of the doctor, each when it is done."""
    parts = site.render_parts(request, "health.html", checks=site.app.check_health(), repaired=())
    return StreamingResponse(parts, media_type="text/html")


def settings(site: Site, request: Request) -> Response:
    """Show all settings by section, and a form for the one that the address names (`key`); those that are set stand out."""
    report = wire_config_report(site.app.loaded)
    by_section = groupby(report.keys, lambda each: each.key.rpartition(".")[0])
    return site.render(
        request,
        "settings.html",
        report=report,
        sections=[(section, list(keys)) for section, keys in by_section],
        known={each.key: each for each in config_keys()},
        chosen=request.query_params.get("key", ""),
    )


def change_setting(site: Site, _request: Request, form: QueryParams) -> Response:
    """Write a setting into the configuration file; it is in force from then on.

    Raises:
        ConfigInvalidError: The setting cannot have the value.
        ConfigNotFoundError: There is no configuration file.
    """
    site.app.require_writable()
    key, value = form.get("key", ""), form.get("value", "")
    require_provider(key, value)
    set_value(site.app.loaded.paths.config_file, key, value)
    site.reload()
    return RedirectResponse(f"/settings#{key}", _SEE_OTHER)

"""`kebab web install` and `uninstall`: the desktop entry and its icon."""

from __future__ import annotations

import configparser
from pathlib import Path


def test_the_entry_starts_the_page_opens_links_and_is_removed_whole(kb, inside) -> None:  # type: ignore[no-untyped-def]
    quick = inside(kb)
    done = quick("web", "install", "--json").last
    entry = Path(str(done["path"]))
    assert entry.is_relative_to(kb.kebab.home)
    parser = configparser.RawConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(entry, "utf-8")
    read = dict(parser["Desktop Entry"])
    assert read["Exec"].endswith(f'"web" "--config" "{kb.config}" --open %u')
    assert read["MimeType"] == "x-scheme-handler/kebab;"
    assert Path(read["Icon"]).read_text("utf-8").startswith("<svg")
    assert quick("web", "uninstall", "--json").last["status"] == "removed"
    assert quick("web", "uninstall", "--json").last["status"] == "missing"
    assert not [each for each in (kb.kebab.home / ".local").rglob("*") if each.is_file()]


def test_a_readonly_run_writes_no_entry(kb, inside) -> None:  # type: ignore[no-untyped-def]
    refused = inside(kb)("web", "install", "--readonly")
    assert refused.code == 2
    assert not (kb.kebab.home / ".local" / "share" / "applications").exists()

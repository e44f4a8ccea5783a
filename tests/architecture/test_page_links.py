"""Pages lead to files, headings and modules that are there."""

import re
from functools import cache
from pathlib import Path

from kebab_testing.tables import walk

from tests.architecture.members import ROOT

PAGES = [
    *ROOT.glob("*.md"),
    *(page for folder in ("docs", "integrations") for page in (ROOT / folder).rglob("*.md")),
    *(page for folder in ("packages", "apps") for page in (ROOT / folder).glob("*/README.md")),
]
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]+))?\)")
MODULE = re.compile(r"`(kebab_[a-z_]+)\.([a-z_]+)[.`]")
NO_TEXT = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


@cache
def anchors(page: Path) -> frozenset[str]:
    """Anchors of the headings, as the sites that show Markdown make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings)


@walk("page", PAGES)
def test_links_of_a_page_lead_to_files_and_headings(page: Path) -> None:
    for path, anchor in LINK.findall(NO_TEXT.sub("", page.read_text("utf-8"))):
        if ":" in path:
            continue
        target = page.parent / path if path else page
        assert target.exists(), path
        assert not anchor or target.suffix != ".md" or anchor in anchors(target), f"{path}#{anchor}"


@walk("page", [ROOT / "docs" / "architecture.md", ROOT / "docs" / "glossary.md", ROOT / "CONTRIBUTING.md"])
def test_modules_that_a_page_names_are_there(page: Path) -> None:
    for package, name in MODULE.findall(page.read_text("utf-8")):
        (source,) = ROOT.glob(f"*/*/src/{package}")
        assert (
            (source / name).is_dir()
            or (source / f"{name}.py").is_file()
            or name in (source / "__init__.py").read_text("utf-8")
        ), f"{package}.{name}"

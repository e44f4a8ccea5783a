from collections.abc import Iterator
from pathlib import Path

from kebab_testing.tables import walk

from tests.architecture.members import MEMBERS, MODULES, ROOT, Member, files_below, imports_in, shown

ENTRY_POINTS = {
    target.partition(":")[0] for member in MEMBERS for target in member.project.get("scripts", {}).values()
}
OPEN_MODULES = {"kebab_testing", "kebab_cli.main"} | ENTRY_POINTS
"""Laws, fakes and builders are imported from their own modules, a command from where it starts, which for `kebab` loads
`kebab_cli.main` so that Ctrl-C is heard meanwhile; nothing else reaches below a top name."""


def _reaches_inside(module: str, own: str | None) -> bool:
    top = module.partition(".")[0]
    is_open = any(module == name or module.startswith(f"{name}.") for name in OPEN_MODULES)
    return top in MODULES and top != own and "." in module and not is_open


def _offences(files: Iterator[Path], own: str | None) -> list[str]:
    return [
        f"{shown(path)}:{line} imports {module}"
        for path in files
        for line, module, _ in imports_in(path)
        if _reaches_inside(module, own)
    ]


@walk("member", MEMBERS)
def test_a_member_and_its_tests_use_only_public_names_of_other_members(member: Member) -> None:
    assert not _offences(files_below(member.folder, "*.py"), member.module)


@walk("folder", ["tests", "tools", "bench"])
def test_what_belongs_to_no_member_uses_only_public_names(folder: str) -> None:
    assert not _offences(files_below(ROOT / folder, "*.py"), None)


@walk("member", MEMBERS)
def test_a_member_never_imports_from_its_own_top_name(member: Member) -> None:
    circular = [
        f"{shown(path)}:{line}"
        for path in files_below(member.source, "*.py")
        for line, module, _ in imports_in(path)
        if module == member.module
    ]
    assert not circular


@walk("member", MEMBERS)
def test_the_tests_of_a_member_need_only_what_it_declares(member: Member) -> None:
    known = {member.module, "kebab_testing", *(name.replace("-", "_") for name in member.dependencies)}
    strangers = [
        f"{shown(path)}:{line} imports {module}"
        for path in files_below(member.folder / "tests", "*.py")
        for line, module, _ in imports_in(path)
        if module.partition(".")[0] in MODULES - known
    ]
    assert not strangers


@walk("folder", ["packages", "apps", "tests", "tools", "bench"])
def test_nothing_is_read_from_an_address_by_the_standard_library(folder: str) -> None:
    opened = [
        f"{shown(path)}:{line}"
        for path in files_below(ROOT / folder, "*.py")
        for line, module, names in imports_in(path)
        if module.startswith("urllib.request") or (module == "urllib" and "request" in names)
    ]
    assert not opened

import re

from tests.architecture.members import MEMBERS, ROOT, files_below, shown

MAX_SOURCE_LINES = 500
MAX_TEST_LINES = 600

EMPTY_NAMES = re.compile(r"(?:^|_)(?:utils?|helpers?|commons?|managers?|misc|stuff)(?:_|$)")
MIGRATION = re.compile(r"V(\d{3})__[a-z0-9]+(?:_[a-z0-9]+)*\.sql")


def _lines(folder: str, limit: int) -> list[str]:
    return [
        f"{shown(path)}: {count} lines"
        for path in files_below(ROOT / folder, "*.py")
        if path.name != "__init__.py"  # the public names of a package, one a line
        and (count := len(path.read_text("utf-8").splitlines())) > limit
        and ("tests" in path.parts) == (limit == MAX_TEST_LINES)
    ]


def test_no_source_file_is_too_long_to_be_one_idea() -> None:
    assert not [
        found for folder in ("packages", "apps", "tools") for found in _lines(folder, MAX_SOURCE_LINES)
    ]


def test_no_test_file_is_too_long_to_be_one_idea() -> None:
    assert not [found for folder in ("packages", "apps", "tests") for found in _lines(folder, MAX_TEST_LINES)]


def test_no_file_has_a_name_that_says_nothing() -> None:
    folders = ("packages", "apps", "tests", "tools", "bench")
    named = (path for folder in folders for path in files_below(ROOT / folder, "*.py"))
    assert not [shown(path) for path in named if EMPTY_NAMES.search(path.stem.lower())]


def test_migrations_are_numbered_without_gaps_or_repeats() -> None:
    for member in MEMBERS:
        names = sorted(path.name for path in (member.source / "migrations").glob("*.sql"))
        found = [MIGRATION.fullmatch(name) for name in names]
        numbers = [int(match[1]) if match else None for match in found]
        assert not names or numbers == list(range(numbers[0], numbers[0] + len(names))), names


def test_test_files_of_different_members_have_different_names() -> None:
    names = [path.name for member in MEMBERS for path in (member.folder / "tests").glob("**/test_*.py")]
    assert sorted(names) == sorted(set(names))

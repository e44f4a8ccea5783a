import pickle
import unicodedata

import pytest
from hypothesis import given, strategies as st
from kebab_core import InvalidInputError, WorkspacePath
from kebab_testing.tables import walk
from pydantic import TypeAdapter, ValidationError

pieces = st.sampled_from([
    "a",
    "b.md",
    ".",
    "",
    "한글",
    "e\u0301",
    " ",
    "#",
    "%",
    "?",
    ":",
    "🍢",
    "...",
    "..b",
])
paths = (
    st
    .lists(pieces, min_size=1, max_size=6)
    .map("/".join)
    .filter(lambda path: not path.startswith("/") and set(path.split("/")) - {"", "."} != set())
)


@given(paths)
def test_normalising_twice_changes_nothing(path: str) -> None:
    once = WorkspacePath(path)
    assert WorkspacePath(once) == once
    assert unicodedata.is_normalized("NFC", once)


@given(paths)
def test_no_component_is_empty_or_a_dot(path: str) -> None:
    assert not {"", "."} & set(WorkspacePath(path).split("/"))


@given(paths)
def test_validation_gives_the_same_path_as_the_constructor(path: str) -> None:
    validated = TypeAdapter(WorkspacePath).validate_python(path)
    assert validated == WorkspacePath(path)
    assert type(validated) is WorkspacePath


@walk("path", ["a/b.md", "./a/b.md", "a//b.md", "a/./b.md", "a/b.md/", ".//a/././b.md"])
def test_spellings_of_one_path_are_equal(path: str) -> None:
    assert WorkspacePath(path) == "a/b.md"


def test_an_nfd_name_equals_its_nfc_spelling() -> None:
    name = "노트/회의록.md"
    assert WorkspacePath(unicodedata.normalize("NFD", name)) == WorkspacePath(name)


@walk("path", ["", ".", "./", "/", "/a", "//a", "..", "a/..", "a/../b", "../a", "./../a"])
def test_what_is_not_inside_the_source_is_refused(path: str) -> None:
    with pytest.raises(InvalidInputError):
        WorkspacePath(path)
    with pytest.raises(ValidationError):
        TypeAdapter(WorkspacePath).validate_python(path)


@walk("path", ["a\udcff.md", "a\x00b"])
def test_what_no_text_can_spell_is_refused(path: str) -> None:
    with pytest.raises(InvalidInputError):
        WorkspacePath(path)


@walk("path", ["..a/b", "a..", "a/...", "C:\\x", "a b#c?d%e:f"])
def test_odd_names_are_names(path: str) -> None:
    assert WorkspacePath(path) == path


@walk(
    ("path", "name", "stem"),
    [
        ("a/b.md", "b.md", "b"),
        ("b", "b", "b"),
        ("a/.gitignore", ".gitignore", ".gitignore"),
        ("a/b.tar.gz", "b.tar.gz", "b.tar"),
        ("a.b/c", "c", "c"),
        ("a/b.", "b.", "b"),
    ],
)
def test_name_and_stem_are_those_of_the_last_component(path: str, name: str, stem: str) -> None:
    assert (WorkspacePath(path).name, WorkspacePath(path).stem) == (name, stem)


def test_a_path_survives_pickling() -> None:
    path = pickle.loads(pickle.dumps(WorkspacePath("a//b")))
    assert path == "a/b"
    assert type(path) is WorkspacePath

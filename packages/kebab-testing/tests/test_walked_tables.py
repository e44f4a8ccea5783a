"""A test that walks a table reports every case that fails, by its values."""

import inspect

import pytest
from kebab_testing.tables import walk


def test_all_cases_are_tried_and_each_failure_is_reported_with_its_values() -> None:
    tried = []

    @walk("number", range(4))
    def test_even(number: int) -> None:
        tried.append(number)
        assert number % 2 == 0

    with pytest.raises(ExceptionGroup, match="2 of 4 cases fail") as caught:
        test_even()
    assert tried == [0, 1, 2, 3]
    assert [failure.__notes__ for failure in caught.value.exceptions] == [
        ["of the case {'number': 1}"],
        ["of the case {'number': 3}"],
    ]


def test_an_error_that_was_expected_and_did_not_come_is_a_failure() -> None:
    @walk(("kind", "value"), [(ValueError, "1"), (ValueError, "x")])
    def test_refused(kind: type[Exception], value: str) -> None:
        with pytest.raises(kind):
            int(value)

    with pytest.raises(BaseExceptionGroup, match="1 of 2 cases fail"):
        test_refused()


def test_what_is_no_column_of_the_table_is_a_fixture_still_and_tables_multiply() -> None:
    seen = []

    @walk("a", [1, 2])
    @walk("b, c", [(3, 4), (5, 6)])
    def test_of_all(folder: str, a: int, b: int, c: int) -> None:
        seen.append((folder, a, b, c))

    assert list(inspect.signature(test_of_all).parameters) == ["folder"]
    test_of_all(folder="x")
    assert seen == [("x", 1, 3, 4), ("x", 1, 5, 6), ("x", 2, 3, 4), ("x", 2, 5, 6)]

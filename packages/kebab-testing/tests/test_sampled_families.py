"""A family runs a tenth of its cases, the same in every run, unless all of it is asked for."""

from collections.abc import Iterator

import pytest
from hypothesis import settings
from kebab_testing.families import WHOLE_PROFILE, examples, is_thorough, keep_sampled, sample

CASES = [f"case {number}" for number in range(95)]


@pytest.fixture
def profile() -> Iterator[None]:
    before = settings.get_current_profile_name()
    yield
    settings.load_profile(before)


@pytest.fixture
def in_part(profile: None) -> None:
    settings.load_profile("default")


@pytest.fixture
def whole(profile: None) -> None:
    settings.load_profile(WHOLE_PROFILE)


@pytest.fixture
def items(request: pytest.FixtureRequest) -> list[pytest.Item]:
    """Two families of 95 and of one case, and 20 cases of a test that is none."""

    def make(name: str, **keywords: object) -> pytest.Item:
        made: pytest.Item = pytest.Function.from_parent(request.node.parent, name=name, callobj=lambda: None)
        for mark in keywords:
            made.add_marker(mark)
        return made

    return [
        *(make(f"test_of_many[{case}]", thorough=True) for case in CASES),
        make("test_of_one", thorough=True),
        *(make(f"test_of_no_family[{number}]") for number in range(20)),
    ]


def test_a_tenth_is_rounded_up_and_stays_in_order(in_part: None) -> None:
    assert len(sample(CASES)) == 10
    assert sample(CASES) == [case for case in CASES if case in sample(CASES)]
    assert sample(CASES[:1]) == CASES[:1]
    assert sample([]) == []
    assert (examples(95), examples(40), examples(3)) == (10, 5, 3)


def test_the_choice_is_no_matter_of_order_and_one_more_case_changes_at_most_one(in_part: None) -> None:
    chosen = set(sample(CASES))
    assert set(sample(CASES[::-1])) == chosen
    assert len(chosen - set(sample([*CASES, "case 95"]))) <= 1


def test_all_is_taken_when_families_run_whole(whole: None) -> None:
    assert is_thorough()
    assert sample(CASES) == CASES
    assert examples(95) == 95


def test_of_each_marked_function_a_tenth_is_kept_and_all_of_others(items: list[pytest.Item]) -> None:
    kept, left_out = keep_sampled(items)
    names = [item.name.partition("[")[0] for item in kept]
    assert [names.count(name) for name in ("test_of_many", "test_of_one", "test_of_no_family")] == [10, 1, 20]
    assert sorted(kept + left_out, key=items.index) == items

from tests.architecture.migrations import current_migrations, find_edited, is_released, shipped_migrations


def test_no_shipped_migration_has_been_edited() -> None:
    assert not find_edited(shipped_migrations(), current_migrations(), released=is_released())


def test_every_migration_is_listed_as_shipped() -> None:
    # after adding one: python -m tests.architecture.migrations
    assert current_migrations().keys() == shipped_migrations().keys()


def test_a_listed_migration_is_never_edited_and_from_1_0_on_never_removed() -> None:
    listed = {"V012__init.sql": "a"}
    for released in (False, True):
        assert find_edited(listed, {"V012__init.sql": "b"}, released=released) == ["V012__init.sql"]
        assert find_edited(listed, {"V012__init.sql": "a", "V013__more.sql": "c"}, released=released) == []
    assert find_edited(listed, {"V013__init.sql": "b"}, released=False) == []
    assert find_edited(listed, {"V013__init.sql": "b"}, released=True) == ["V012__init.sql"]

from tests.architecture.migrations import current_migrations, find_edited, shipped_migrations


def test_no_shipped_migration_has_been_edited() -> None:
    assert not find_edited()


def test_every_migration_is_listed_as_shipped() -> None:
    # after adding one: python -m tests.architecture.migrations
    assert current_migrations().keys() == shipped_migrations().keys()

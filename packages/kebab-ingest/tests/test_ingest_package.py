import kebab_ingest


def test_the_package_says_what_it_holds() -> None:
    assert kebab_ingest.__doc__

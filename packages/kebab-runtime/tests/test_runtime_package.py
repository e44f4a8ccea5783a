import kebab_runtime


def test_the_package_says_what_it_holds() -> None:
    assert kebab_runtime.__doc__

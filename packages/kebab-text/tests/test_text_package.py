import kebab_text


def test_the_package_says_what_it_holds() -> None:
    assert kebab_text.__doc__

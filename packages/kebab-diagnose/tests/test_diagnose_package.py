import kebab_diagnose


def test_the_package_says_what_it_holds() -> None:
    assert kebab_diagnose.__doc__

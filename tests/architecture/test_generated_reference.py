from tools.docs.generate import find_outdated, find_unshipped, render_pages


def test_the_reference_says_what_the_code_says() -> None:
    assert not find_outdated(render_pages())


def test_a_page_that_differs_is_found() -> None:
    pages = render_pages()
    pages["cli.md"] += "x"
    assert "cli.md" in find_outdated(pages)


def test_the_guides_in_the_wheel_are_the_guides() -> None:
    assert not find_unshipped()

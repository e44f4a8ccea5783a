from hypothesis import given, strategies as st
from kebab_extractive.sentence_forms import (
    ends_as_sentence,
    has_directive,
    has_words,
    is_dangling,
    is_fragment,
)
from kebab_testing.tables import walk


@walk(
    "text",
    [
        "{* ../../src/main.py hl[9:12] *}",
        "- {! includes/head.md !}",
        "{% include 'head.html' %}",
        "{{ page.title }}",
        '--8<-- "shared.md"',
        ".. include:: shared.rst",
        "The page:\n{* ../../src/main.py *}\nsays it.",
        "│   ├── main.py",
    ],
)
def test_line_that_only_a_template_reads_is_a_directive(text: str) -> None:
    assert has_directive(text)


@walk("text", ["Write `{{ name }}` where it belongs.", "It ends... there.", "a = {1: 2}"])
def test_sentence_about_templates_is_none(text: str) -> None:
    assert not has_directive(text)


@walk(
    "text",
    [
        "https://example.org/a?b=c",
        "- [The guide](guide.md)",
        "![A picture](picture.png)",
        "[![build](https://example.org/b.svg)](https://example.org/build)",
        '<img src="a.png" alt="a"/>',
        "<!-- kept for later -->",
        "***",
    ],
)
def test_bare_links_badges_and_tags_have_no_words(text: str) -> None:
    assert not has_words(text)


@walk("text", ["[^kim-48]", "- [^1].", "[^1]: Kim, The lamp, page 66", "[^1]: a\nlong note."])
@walk("with_links", [False, True])
def test_mark_and_reference_of_a_footnote_have_no_words(text: str, *, with_links: bool) -> None:
    assert not has_words(text, with_links=with_links)


@walk("text", ["The lamp is grey.[^1]", "The mark [^1]: see below.", "[1]: grey", "[^1] The lamp."])
def test_sentence_with_the_mark_of_a_footnote_has_words(text: str) -> None:
    assert has_words(text)


def test_words_of_links_count_where_links_are_asked_for() -> None:
    assert has_words("- [The guide](guide.md)", with_links=True)


@walk("text", ["See [the guide](guide.md) first.", "색인은 <b>매일</b> 만든다.", "a < b > c"])
def test_sentences_with_links_and_tags_have_words(text: str) -> None:
    assert has_words(text)


@walk("text", ["Previous steps before starting", "- 시작하기 전에", "1. Restarts"])
def test_few_words_without_an_end_are_a_fragment(text: str) -> None:
    assert is_fragment(text)


@walk(
    "text",
    ["Run make.", "색인은 매일 만든다", "max_age - how long it is kept", "port: 8080", "- 3 kinds", "a " * 9],
)
def test_sentences_pairs_and_numbers_are_none(text: str) -> None:
    assert not is_fragment(text)


@walk("text", ["...and declare it.", "So, run make.", "또한 색인도 만든다.", "- Or a list."])
def test_sentence_that_goes_on_from_another_dangles(text: str) -> None:
    assert is_dangling(text)


@walk("text", ["Some pages.", "Order matters.", "Android runs it.", "또한국어도 된다.", ""])
def test_sentence_that_stands_alone_does_not(text: str) -> None:
    assert not is_dangling(text)


@given(st.text(max_size=300))
def test_any_text_can_be_judged(text: str) -> None:
    judged = (
        has_directive(text),
        has_words(text),
        is_fragment(text),
        is_dangling(text),
        ends_as_sentence(text),
    )
    assert all(isinstance(each, bool) for each in judged)

import pytest
from hypothesis import given, strategies as st
from kebab_extractive.answer_constraints import defined_term, defines
from kebab_extractive.sentence_forms import (
    ends_as_sentence,
    has_directive,
    has_words,
    is_dangling,
    is_fragment,
)


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("text", ["Write `{{ name }}` where it belongs.", "It ends... there.", "a = {1: 2}"])
def test_sentence_about_templates_is_none(text: str) -> None:
    assert not has_directive(text)


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    "text", ["See [the guide](guide.md) first.", "색인은 <b>매일</b> 만든다.", "a < b > c"]
)
def test_sentences_with_links_and_tags_have_words(text: str) -> None:
    assert has_words(text)


@pytest.mark.parametrize("text", ["Previous steps before starting", "- 시작하기 전에", "1. Restarts"])
def test_few_words_without_an_end_are_a_fragment(text: str) -> None:
    assert is_fragment(text)


@pytest.mark.parametrize(
    "text",
    ["Run make.", "색인은 매일 만든다", "max_age - how long it is kept", "port: 8080", "- 3 kinds", "a " * 9],
)
def test_sentences_pairs_and_numbers_are_none(text: str) -> None:
    assert not is_fragment(text)


@pytest.mark.parametrize(
    "text", ["...and declare it.", "So, run make.", "또한 색인도 만든다.", "- Or a list."]
)
def test_sentence_that_goes_on_from_another_dangles(text: str) -> None:
    assert is_dangling(text)


@pytest.mark.parametrize(
    "text", ["Some pages.", "Order matters.", "Android runs it.", "또한국어도 된다.", ""]
)
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


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("What is an index?", "index"),
        ("what are path operations", "path operations"),
        ("What does RRF mean?", "RRF"),
        ("색인이란?", "색인"),
        ("의존성 주입이란 무엇인가요?", "의존성 주입"),
        ("미들웨어는 무엇인가요?", "미들웨어"),
    ],
)
def test_question_for_what_something_is_names_it(question: str, term: str) -> None:
    assert defined_term(question) == term


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of France?",
        "How do I index?",
        "색인은 언제 만드나요?",
        "1998년 여름에 그가 서울에서 처음 만든 것은 무엇인가?",
    ],
)
def test_question_for_something_described_names_nothing(question: str) -> None:
    assert defined_term(question) is None


@pytest.mark.parametrize(
    ("sentence", "term"),
    [
        ("An **index** is a list of terms.", "index"),
        ("Indexes (lists of terms) are made at night.", "Indexe"),
        ('"Dependency Injection" means that others make the parts.', "dependency injection"),
        ('"미들웨어"는 모든 요청에 대해 동작하는 함수입니다.', "미들웨어"),
        ("색인(index)이란 용어의 목록을 뜻한다.", "색인"),
    ],
)
def test_sentence_that_says_what_a_term_is_defines_it(sentence: str, term: str) -> None:
    assert defines(sentence, term)


@pytest.mark.parametrize(
    "sentence", ["Pass it to the index decorator.", "The index keeps terms.", "Reindex is slow."]
)
def test_sentence_that_only_names_a_term_does_not(sentence: str) -> None:
    assert not defines(sentence, "index")

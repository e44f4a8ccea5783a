"""Label fields of a passage, and the questions that name them."""

from kebab_testing.tables import walk
from kebab_text import find_label_fields


def found(text: str) -> list[str]:
    return [text[field.start : field.end] for field in find_label_fields(text)]


def test_label_fields_are_keys_with_their_values_or_the_list_below_them() -> None:
    text = '글\ntag     : gc\n"Keywords": a, b\naliases:\n- x\n  - y\nowner: Mina\n태그: 가\nlayout:\n\n- z'
    assert found(text) == [
        "tag     : gc",
        '"Keywords": a, b',
        "aliases:\n- x\n  - y",
        "태그: 가",
        "layout:",
    ]


@walk(
    "text", ["Tags: they find a note.", "tagging: a", "the tags: a", "tags", "Category:Animals", "tags = [a]"]
)
def test_text_about_labels_is_no_label_field(text: str) -> None:
    assert found(text) == []


@walk(
    ("text", "question", "expected"),
    [
        ("tags: [a]", "배포 절차의 태그는?", True),
        ("tag : a", "Which tags has it?", True),
        ("태그: a", "How is it tagged?", True),
        ("tags: [a]", "What are the stages?", False),
        ("tags: [a]", "What are the keywords?", False),
        ("aliases: [a]", "Is there an alias?", True),
    ],
)
def test_a_question_names_a_field_in_either_language(text: str, question: str, *, expected: bool) -> None:
    (field,) = find_label_fields(text)
    assert field.is_named_in(question) is expected

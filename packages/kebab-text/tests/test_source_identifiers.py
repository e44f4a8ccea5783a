"""Identifiers are told from words of prose by their form."""

from kebab_testing.tables import walk
from kebab_text import find_identifiers


@walk(
    ("text", "found"),
    [
        ("where is parse_size defined?", ("parse_size",)),
        ("parse_size는 어디서 정해지나요?", ("parse_size",)),
        ("what does Group.invoke() return", ("Group.invoke",)),
        ("how is `walk` used", ("walk",)),
        ("does walk() end", ("walk",)),
        ("SubjectBuilder::new and ptr->next", ("SubjectBuilder::new", "ptr->next")),
        ("__init__ of getUserName", ("__init__", "getUserName")),
        ("sdscatlen은 어디서 정의되나요?", ("sdscatlen",)),
        ("Docker는 git과 무엇이 다른가요?", ()),
        ("what is sdscatlen", ()),
        ("Where is Paris? It is in France.", ()),
        ("the end. Then", ()),
        ("한국어 문장에는 없다.", ()),
        ("", ()),
    ],
)
def test_words_that_only_code_has_are_identifiers(text: str, found: tuple[str, ...]) -> None:
    assert find_identifiers(text) == found

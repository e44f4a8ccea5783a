from kebab_testing.tables import walk
from kebab_text import Script, has_hangul, is_korean, script_of_language, script_of_text


@walk(
    ("text", "script"),
    [
        ("벡터 인덱스", Script.HANGUL),
        ("FastAPI 배포", Script.HANGUL),
        ("how to deploy FastAPI", Script.LATIN),
        ("k8s 404", Script.LATIN),
        ("ㅋㅋㅋ", Script.HANGUL),
        ("日本語の検索", Script.HAN),
        ("поиск", Script.CYRILLIC),
        ("…", Script.LATIN),
        ("", Script.LATIN),
        ("a very long English question about one 단어", Script.LATIN),
    ],
)
def test_script_of_a_query_is_that_of_a_fifth_of_its_letters(text: str, script: Script) -> None:
    assert script_of_text(text) is script


@walk(
    ("lang", "script"),
    [("ko", Script.HANGUL), ("en", Script.LATIN), ("und", Script.LATIN), ("zh", Script.HAN)],
)
def test_script_of_a_language_is_latin_unless_known(lang: str, script: Script) -> None:
    assert script_of_language(lang) is script


@walk(
    ("text", "expected"),
    [
        ("FastAPI에서 추가 응답", True),
        ("What does 김치 mean in English?", False),
        ("", False),
        ("123", False),
    ],
)
def test_question_is_korean_where_a_fifth_of_its_letters_are(text: str, expected: bool) -> None:
    assert is_korean(text) is expected


@walk(
    ("text", "expected"),
    [("a 가", True), ("\u1112\u1161", True), ("ㅋ", True), ("漢字 a", False), ("", False)],
)
def test_hangul_is_found_composed_or_not(text: str, expected: bool) -> None:
    assert has_hangul(text) is expected

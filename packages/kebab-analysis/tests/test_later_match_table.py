"""What a reader would like to be found and is not yet: a case that begins to pass belongs in the other tables."""

from collections.abc import Callable

import pytest

LATER = {
    "typo": [
        ("recieve", "receive"),
        ("설치하새요", "설정하세요"),
        ("인댁스", "인덱스를 만든다"),
        ("검섹", "검색을 한다"),
        ("pyhton", "python"),
    ],
    "other spelling": [
        ("데이타", "데이터를 모은다"),
        ("메세지", "메시지를 보낸다"),
        ("컨텐츠", "콘텐츠를 만든다"),
        ("디렉토리", "디렉터리를 연다"),
        ("어플리케이션", "애플리케이션을 만든다"),
        ("ㅋㅋ", "ㅋㅋㅋ 웃기다"),
        ("colour", "color"),
    ],
    "irregular english": [
        ("children", "a child"),
        ("ran", "run"),
        ("indices", "an index"),
    ],
    "reading": [
        ("여자", "女子의 옷"),
        ("에이피아이", "API를 부른다"),
        ("셋", "3개를 고른다"),
        ("퍼센트", "10%를 넘는다"),
    ],
    "dictionary reads it otherwise": [
        ("추워요", "오늘은 춥다"),
        ("홈", "홈페이지를 고친다"),
    ],
    "meaning": [
        ("지우기", "파일을 삭제한다"),
        ("노트북", "랩톱을 샀다"),
    ],
}


@pytest.mark.parametrize(
    ("query", "text"),
    [
        pytest.param(*pair, id=f"{kind}: {' / '.join(pair)}")
        for kind, pairs in LATER.items()
        for pair in pairs
    ],
)
def test_query_does_not_find_the_text_yet(query: str, text: str, finds: Callable[[str, str], bool]) -> None:
    assert not finds(query, text)

"""What a word must and must not find, whatever the analyser does inside."""

import pytest
from kebab_analysis import KoreanEnglishAnalyzer

ANALYZER = KoreanEnglishAnalyzer()

MATCHES = {
    "two syllables": [
        ("한국", "한국의 역사를 다룬다"),
        ("색인", "색인이 비어 있다"),
        ("검색", "빠른 검색을 위해"),
    ],
    "one syllable": [
        ("물", "물을 마신다"),
        ("밥", "밥과 국"),
        ("책", "책을 읽었다"),
        ("키", "키를 눌러 종료한다"),
        ("값", "기본 값으로 되돌린다"),
        ("줄", "다음 줄부터 읽는다"),
    ],
    "compound by part": [
        ("민국", "대한민국 헌법"),
        ("한국", "한국어로 쓴 문서"),
        ("사용", "사용법을 설명한다"),
        ("시스템", "운영시스템의 구조"),
        ("데이터", "데이터베이스를 연다"),
    ],
    "compound written apart": [
        ("데이터 베이스", "데이터베이스 연결"),
        ("벡터인덱스", "벡터 인덱스를 만든다"),
        ("문서검색", "문서를 검색한다"),
    ],
    "particle": [
        ("인덱스", "인덱스는"),
        ("인덱스가", "인덱스를 지운다"),
        ("서버에서", "서버까지의 거리"),
        ("규칙은?", "무시 규칙을 따른다"),
        ("파일", "파일들에서만"),
        ("설정", "설정으로부터"),
    ],
    "ending": [
        ("만드나요", "색인을 만들었다"),
        ("만들다", "만드는 방법"),
        ("지우기", "지웠습니다"),
        ("읽는", "읽어서 나눈다"),
        ("빠르게", "가장 빠른 길"),
        ("아름다운", "아름답다"),
        ("불러와", "모델을 불러오는 중"),
        ("달렸다", "달리는 사람"),
    ],
    "noun of a verb": [
        ("설치", "설치하세요"),
        ("설치하다", "설치 방법"),
        ("삭제되었다", "삭제를 취소한다"),
        ("확인했습니다", "확인 절차"),
        ("사랑하는", "사랑"),
        ("중요한", "중요합니다"),
        ("필요하다", "필요 조건"),
    ],
    "unknown word": [
        ("쿠버네티스", "쿠버네티스를 올린다"),
        ("임베딩", "임베딩의 차원"),
        ("마이그레이션", "마이그레이션과 롤백"),
        ("케밥", "케밥은 문서를 찾는다"),
        ("뷁", "뷁"),
    ],
    "mixed scripts": [
        ("API", "API를 부른다"),
        ("kebab-core", "kebab-core의 모형"),
        ("core", "kebab-core의 모형"),
        ("v1.2.3", "v1.2.3에서 고쳤다"),
        ("1.2.3", "v1.2.3에서 고쳤다"),
        ("SQLite", "SQLite가 진실을 담는다"),
        ("HTTP 요청", "HTTP요청을 보낸다"),
    ],
    "number with counter": [
        ("3단계", "3 단계로 나눈다"),
        ("3", "3단계로 나눈다"),
        ("2024년", "2024년에 나왔다"),
        ("단계", "3단계로"),
        ("1234", "1,234원"),
    ],
    "identifier": [
        ("parse", "parseMdFile"),
        ("parse md file", "parse_md_file()"),
        ("parseMdFile", "parse_md_file"),
        ("parse_md_file", "`parse_md_file`을 부른다"),
        ("HTTP", "HTTPServer"),
        ("vector", "std::vector<int>"),
        ("readme.md", "docs/readme.md"),
        ("docs/readme.md", "docs/readme.md를 보라"),
        ("example.com", "https://example.com/a?b=c"),
        ("user", "user@example.com"),
        ("C++", "C++과 C"),
        ("python", "python3"),
        ("init", "__init__"),
    ],
    "english": [
        ("documents", "one document"),
        ("running", "it runs"),
        ("PDF", "PDFs and images"),
        ("email", "send an e-mail"),
        ("Parser's", "the parser"),
        ("NAÏVE", "naïve"),
    ],
    "han and kana": [
        ("漢字", "漢字를 쓴다"),
        ("東京", "東京都の人口"),
        ("民國", "大韓民國"),
        ("インデックス", "インデックスを作る"),
    ],
}
NO_MATCHES = [
    ("물", "건물이 높다"),
    ("책", "정책을 세운다"),
    ("밥", "국을 끓인다"),
    ("은", "인덱스는 비었다"),
    ("를", "파일을 연다"),
    ("하다", "설치하다"),
    ("다", "만들었다"),
    ("나라", "지나라"),
    ("수도", "할 수도 있다"),
    ("art", "start the party"),
    ("cat", "concatenate"),
    ("C++", "C#"),
    ("API", "rapid"),
    ("문자", "문서"),
    ("임금", "임베딩"),
    ("한국", "한글"),
    ("2", "v1.2.3"),
    ("port", "import"),
]


def _shares_a_term(query: str, text: str) -> bool:
    return not {term.text for term in ANALYZER.analyze_query(query)}.isdisjoint(
        term.text for term in ANALYZER.analyze(text)
    )


@pytest.mark.parametrize(
    ("query", "text"),
    [pytest.param(*pair, id=f"{kind}: {pair[0]}") for kind, pairs in MATCHES.items() for pair in pairs],
)
def test_query_finds_the_text(query: str, text: str) -> None:
    assert _shares_a_term(query, text)


@pytest.mark.parametrize(("query", "text"), NO_MATCHES)
def test_query_does_not_find_the_text(query: str, text: str) -> None:
    assert not _shares_a_term(query, text)


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("벡터 인덱스는 언제 다시 만드나요?", ["벡터", "인덱스", "다시", "만들"]),
        ("설치는 어떻게 하나요?", ["설치"]),
        ("청크의 제목은 무엇인가요?", ["청크", "제목"]),
        ("삭제된 파일을 알려줘", ["삭제", "파일"]),
        ("IT 부서는 어디 있나요?", ["it", "부서"]),
        ("for 문은 뭔가요", ["for", "문"]),
        ("What is the size of a chunk?", ["size", "chunk"]),
        ("how do I install it", ["install", "instal"]),
        ("Who runs IT?", ["runs", "run", "it"]),
        ("WHAT IS IT", ["what", "is", "it"]),
        ("무엇인가요?", ["무엇"]),
    ],
)
def test_question_keeps_its_content(question: str, content: list[str]) -> None:
    assert [term.text for term in ANALYZER.analyze_query(question)] == content

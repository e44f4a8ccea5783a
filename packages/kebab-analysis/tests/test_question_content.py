"""Which words of a question are asked for."""

from kebab_analysis import KoreanEnglishAnalyzer
from kebab_testing.tables import walk

ANALYZER = KoreanEnglishAnalyzer()


@walk(
    ("question", "content"),
    [
        ("벡터 인덱스는 언제 다시 만드나요?", ["벡터", "인덱스", "다시", "만들"]),
        ("설치는 어떻게 하나요?", ["설치"]),
        ("청크의 제목은 무엇인가요?", ["청크", "제목"]),
        ("삭제된 파일을 알려줘", ["삭제", "파일"]),
        ("예산은 누가 작성하나?", ["예산", "작성"]),
        ("회의는 언제 시작하나", ["회의", "시작"]),
        ("IT 부서는 어디 있나요?", ["it", "부서"]),
        ("for 문은 뭔가요", ["for", "문"]),
        ("What is the size of a chunk?", ["size", "chunk"]),
        ("how do I install it", ["install", "instal"]),
        ("Who runs IT?", ["runs", "run", "it"]),
        ("WHAT IS IT", ["what", "is", "it"]),
        ("무엇인가요?", ["무엇"]),
        ("김치 담그는 법 알려줘", ["김치", "담그"]),
        ("메일을 보내는 법?", ["메일", "보내"]),
        ("법을 만드는 국회", ["법", "만들", "국회"]),
        ("개인을 보호하는 법률", ["개인", "보호", "법률"]),
    ],
)
def test_question_keeps_its_content(question: str, content: list[str]) -> None:
    assert [term.text for term in ANALYZER.analyze_query(question)] == content

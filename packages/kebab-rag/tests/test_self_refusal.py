from kebab_rag.verdict import says_not_in_evidence
from kebab_testing.tables import walk

PASSAGES = {
    1: "The report does not mention the cost. The documents do not say who wrote it.",
    2: "경찰은 증거와 근거가 부족하다고 발표했다. 이 문서에는 날짜가 적혀 있지 않다.",
}


@walk(
    "said",
    [
        "근거가 부족하다.",
        "근거가 부족합니다 [#1].",
        "죄송하지만 근거가 충분하지 않습니다.",
        "제공된 근거에는 해당 내용이 없습니다 [#2].",
        "찾은 문서에서는 그 날짜를 확인할 수 없습니다.",
        "주어진 자료만으로는 답할 수 없습니다.",
        "문서에 따르면 규칙은 있다 [#2]. 하지만 근거에는 가격에 관한 언급이 없습니다.",
        "이 질문에는 답을 할 수 없습니다.",
        "The evidence is not enough.",
        "The evidence is not enough [#1].",
        "There is not enough information to answer.",
        "There is insufficient evidence for this [#1].",
        "The passages do not contain the price [#1][#2].",
        "The provided context doesn't mention it.",
        "The price is not mentioned in the documents [#1].",
        "I cannot answer this from the evidence.",
        "I don't know.",
        "Nothing about prices is said in the passages.",
        "The rule is old [#1]. However, the evidence does not say who wrote it [#1].",
    ],
)
def test_saying_that_the_evidence_lacks_it_is_recognised_whatever_markers_it_carries(said: str) -> None:
    assert says_not_in_evidence(said, PASSAGES)


def test_agreed_words_are_a_refusal_also_where_a_document_holds_them() -> None:
    assert says_not_in_evidence("The evidence is not enough. [#1]", {1: "The evidence is not enough."})


@walk(
    "said",
    [
        "The index is kept in one file [#1].",
        "색인은 매일 만든다 [#2].",
        "이 문서는 규칙을 설명한다 [#2].",
        "The report does not mention the cost. [#1]",
        "The documents do not say who wrote it. [#1]",
        "경찰은 증거와 근거가 부족하다고 발표했다. [#2]",
        "이 문서에는 날짜가 적혀 있지 않다. [#2]",
        'The police said "the evidence is not enough" [#2].',
        "경찰은 “근거가 부족하다”고 말했다 [#2].",
        "코드 블록은 중간에서 자르지 않는다 [#1].",
        "표가 없으면 문단으로 나눈다 [#1].",
        "Files that are not in the list are skipped [#1].",
        "It cannot be changed after the release [#1].",
        "",
    ],
)
def test_answers_and_copied_sentences_are_not(said: str) -> None:
    assert not says_not_in_evidence(said, PASSAGES)

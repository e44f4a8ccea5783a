from kebab_extractive.query_terms import find_predicates
from kebab_testing.tables import walk


@walk(
    ("question", "content", "predicates"),
    [
        ("Who wrote the index?", "wrote index", "wrote"),
        ("What does the index keep?", "index keep", "keep"),
        ("How many days do clerks get?", "days clerks", ""),
        ("색인을 언제 만드나요?", "색인을 만드나요", "만드나요"),
    ],
)
def test_predicates_are_verbs_and_no_nouns(question: str, content: str, predicates: str) -> None:
    starts = {question.index(word): word for word in content.split()}
    found = find_predicates(question, [(start, start + len(word)) for start, word in starts.items()])
    assert [starts[start] for start in found] == predicates.split()

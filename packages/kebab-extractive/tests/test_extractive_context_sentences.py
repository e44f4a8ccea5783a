"""Lines that say nothing by themselves: lead-ins, headings of plain text, questions above a command."""

from kebab_extractive import ExtractiveReader
from kebab_extractive.sentence_forms import is_title, leads_on, refers_back
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.document_store import InMemoryDocumentStore
from kebab_testing.fakes.lexical_index import InMemoryLexicalIndex
from kebab_testing.passages import NOTHING, build_passage, read_aloud
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk


def answer(question: str, *texts: str, title: str = "") -> str:
    store = InMemoryDocumentStore()
    store.replace_document(build_record(RecordSpec(paragraphs=texts)))
    model = ExtractiveReader(analyzer=WordAnalyzer(), index=InMemoryLexicalIndex(store))
    passages = [build_passage(text, marker=place, title=title) for place, text in enumerate(texts, start=1)]
    return read_aloud(model, question, *passages)


@walk(
    "text",
    [
        "In short:",
        "요약하자면:",
        "되돌리려면 다음을 실행한다.",
        "명령은 다음과 같다.",
        "The steps are as follows.",
    ],
)
def test_line_that_only_says_that_something_follows_leads_on(text: str) -> None:
    assert leads_on(text)


@walk("text", ["다음 날 돌아왔다.", "The following day was dry.", "port: 8080", ""])
def test_line_that_says_something_itself_does_not(text: str) -> None:
    assert not leads_on(text)


def test_lead_in_without_what_follows_is_no_answer() -> None:
    assert answer("in short the index keeps", "In short the index keeps:") == NOTHING


@walk("lead", ["To start the backup by hand:", "The backup start command is as follows."])
def test_command_below_a_lead_in_is_quoted_with_it(lead: str) -> None:
    text = f"Photos are here. {lead}\n\nsnapcopy run --target grey\n\nRain fell on the town."
    assert answer("which command start the backup", text) == f"{lead}\n\nsnapcopy run --target grey [#1]"


def test_command_below_the_question_itself_is_quoted_without_the_question() -> None:
    text = "Which command makes the index again?\n\nkebab ingest --force\n\nThe index is large."
    assert answer("which command makes the index again?", text) == "kebab ingest --force [#1]"


def test_head_of_a_callout_is_quoted_with_the_sentence_below_it() -> None:
    tip = "Tip: 찌개 맛내기\n쌀뜨물을 쓰면 국물이 더 구수하다."
    text = f"가게는 월요일에 쉰다.\n\n{tip} 간이 약하면 소금을 반 작은술 넣는다."
    assert answer("찌개 맛내기", text) == f"{tip} [#1]"


def test_value_in_a_block_of_code_is_quoted_with_its_block() -> None:
    text = "The client retries.\n\nMAX_RETRIES = 5\nTIMEOUT = 30"
    assert "MAX_RETRIES = 5" in answer("What is the value of MAX_RETRIES", text)


def test_heading_of_plain_text_is_no_answer_and_stands_for_what_is_below_it() -> None:
    text = "Rain fell.\n\nIndex words\n\nTerms are kept here for long.\n\nSnow lay about in town."
    assert answer("index words", text) == "Terms are kept here for long. [#1]"


def test_reason_in_the_next_sentence_comes_along() -> None:
    text = "The release was moved to Monday. It is because the certificate is missing. Rain fell on the town."
    assert answer("why was the release moved", text).startswith(
        "The release was moved to Monday. It is because the certificate is missing."
    )


def test_code_after_a_sentence_comes_along_where_a_question_asks_how() -> None:
    text = "The index is made again by hand.\n\nmake index --all\n\nRain fell on the town."
    assert "make index --all" in answer("how is the index made again", text + "\n\nIt works:")


def test_sentence_about_another_of_two_things_is_not_taken_for_the_one_asked_for() -> None:
    text = "The primary of billing on-call is Ana. The backup of billing on-call is Raj."
    assert answer("backup of billing on-call", text).startswith("The backup of billing on-call is Raj.")


def test_sentence_that_holds_much_less_of_the_question_does_not_come_along() -> None:
    text = "The night train to the harbour is blue. The night train to the harbour leaves platform seven."
    assert answer("which platform harbour night train leaves", text) == (
        "The night train to the harbour leaves platform seven. [#1]"
    )


def test_attribute_alone_may_be_asked_for() -> None:
    assert answer("How much is the fee?", "The fee is 5 euros a year.") == "The fee is 5 euros a year. [#1]"


def test_title_begins_as_one_and_a_command_does_not() -> None:
    assert is_title("Index words")
    assert is_title("색인 낱말")
    assert not is_title("snapcopy run")


@walk(("text", "refers"), [("It holds 3.", True), ("이는 크다.", True), ("Italy is far.", False)])
def test_sentence_that_begins_with_a_pronoun_refers_back(text: str, *, refers: bool) -> None:
    assert refers_back(text) is refers


def test_all_steps_of_a_list_are_one_quote_where_a_question_asks_how() -> None:
    steps = "1. Stop the index.\n2. Restore the terms.\n3. Start it again.\n4. Read the log."
    assert answer("How do I restore the terms of the index?", steps) == f"{steps} [#1]"


def test_one_of_several_things_brings_the_others_with_the_line_that_leads_to_them() -> None:
    things = "The index keeps these:\n- terms of chunks\n- titles\n- headings"
    assert answer("what are the terms that the index keeps", f"Rain fell.\n\n{things}") == f"{things} [#1]"


def test_one_of_several_things_is_quoted_alone_where_one_is_asked_for() -> None:
    rows = "The index keeps these:\n- terms of chunks in 1998\n- titles"
    assert "titles" not in answer("when did index keep terms of chunks", rows)


def test_sentence_brings_the_next_one_where_that_goes_on_from_it() -> None:
    text = "The index keeps terms of chunks. So it is large. Rain fell."
    assert answer("index keeps terms chunks", text) == "The index keeps terms of chunks. So it is large. [#1]"


def test_line_above_a_table_brings_the_table() -> None:
    table = "The index keeps terms of each kind\n\nkind | place\nword | here\npart | there"
    assert answer("index keeps terms kind", f"{table}\n\nRain fell.") == f"{table} [#1]"


def test_paragraph_brings_what_goes_on_about_the_question_and_a_fact_stands_alone() -> None:
    text = "Rain fell. The index keeps terms of chunks. It weighs them. Snow lay in May."
    assert answer("index keeps terms", text) == "The index keeps terms of chunks. It weighs them. [#1]"
    text = "The index was made in 2021. The index keeps terms."
    assert answer("when was the index made", text) == "The index was made in 2021. [#1]"


def test_line_that_repeats_the_question_brings_its_list() -> None:
    things = "The rules of the index:\n- terms of chunks\n- titles\n- headings"
    assert answer("what are the rules of the index?", f"Rain fell.\n\n{things}") == f"{things} [#1]"


@walk("lead", ["Markdown chunking 규칙", "Markdown chunking 은 다음 규칙 을 따른다:"])
def test_list_below_its_lead_line_or_heading_answers_a_question_for_rules(lead: str) -> None:
    rules = "- heading boundary 우선\n- code block 은 나누지 않음\n- table 은 한 chunk"
    assert answer("Markdown chunking 규칙 은?", f"{lead}\n\n{rules}") == f"{lead}\n\n{rules} [#1]"


def test_comparison_quotes_both_sides_of_the_page() -> None:
    text = "The grey index is small and quick.\n\nRain fell on the town.\n\nThe white one is large."
    said = answer("what is the difference of the grey index versus white", text)
    assert said == "The grey index is small and quick. [#1]\nThe white one is large. [#1]"


@walk("question", ["What are the index terms that wrap?", "How do index terms wrap?"])
def test_item_of_a_long_list_that_no_line_leads_into_is_quoted_alone(question: str) -> None:
    others = [f"- page {n} of Markdown, read line by line" for n in range(40)]
    item = "- the index terms wrap at the edge"
    assert answer(question, "\n".join([*others[:3], item, *others[3:]])) == f"{item[2:]} [#1]"
    led = answer(question, "\n".join(["The index is this:", *others[:3], item, *others[3:]]))
    assert led.startswith("The index is this:\n- page 0")
    short = "\n".join([*others[:3], item, *others[3:18]])
    assert answer(question, short) == f"{short} [#1]"


@walk("question", ["How do index terms wrap?", "Why do index terms wrap?"])
def test_way_and_reason_are_quoted_with_the_section_around_the_sentence(question: str) -> None:
    text = "The index terms wrap.\n\nOpen the lid first.\n\n- Turn the key.\n- Let go."
    assert answer(question, text) == f"{text} [#1]"
    assert answer("Which index terms wrap?", text) == "The index terms wrap. [#1]"


def test_section_ends_at_the_next_heading_and_is_split_by_what_cannot_be_printed() -> None:
    text = "The index terms wrap.\n\n{* lid.py *}\n\nOpen the lid first.\n\n# Other\n\nLeave it."
    assert answer("How do index terms wrap?", text) == "The index terms wrap. [#1]\nOpen the lid first. [#1]"


def test_long_section_is_quoted_from_the_sentence_on() -> None:
    before, after = "It is said that all is well there. " * 20, "Then the lid opens by itself again. " * 30
    said = answer("How do index terms wrap?", f"{before}\n\nThe index terms wrap.\n\n{after}")
    assert said.startswith("The index terms wrap.\n\nThen the lid opens")
    assert len(said) <= 810


LABELLED = "Moves of the team\nkeywords: release, rollback\ntags:\n  - ops\n  - rollback\nowner: Mina Kim\n\n"


def test_tags_and_keywords_are_no_answer_and_come_along_with_none() -> None:
    text = LABELLED + "A rollback starts the image of before. It takes long.\n\n- [ ] rollback list"
    assert "A rollback starts the image of before." in (quoted := answer("how does a rollback start", text))
    assert not any(word in quoted for word in ("tags", "ops", "keywords"))
    assert answer("rollback ops release", LABELLED) == NOTHING
    assert answer("who is the owner", LABELLED) == "owner: Mina Kim [#1]"


def test_tags_are_quoted_where_the_question_names_them() -> None:
    quoted = answer("What are the tags of Moves?", LABELLED, title="Moves")
    assert quoted == "tags:\n  - ops\n  - rollback [#1]"
    assert answer("Moves 태그", "글이 있다.\ntags: [ops]", title="Moves") == "tags: [ops] [#1]"


def test_sentence_that_begins_like_a_label_is_an_answer() -> None:
    text = "Layout: the map room lies in the north wing."
    assert answer("where does the map room lie", text) == f"{text} [#1]"

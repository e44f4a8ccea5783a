"""Text that an answer prints for a span: its block, its section, the line that leads to it."""

from dataclasses import replace

from kebab_core import CodeCitation, Passage, WorkspacePath
from kebab_extractive.passage import read_passage
from kebab_extractive.question import read_question
from kebab_extractive.selection import choose_answer
from kebab_extractive.sentence_forms import is_title, leads_on, refers_back
from kebab_extractive.span_features import find_spans
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.passages import build_passage, build_passages
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

MANY_ROWS = [f"row {n} | nothing is said here" for n in range(30)]
ANALYZER = WordAnalyzer()
INDEX = TemporaryStores().index


def quoted(question: str, *evidence: str | Passage, count: int = 1) -> str:
    """Return the text of an answer of the most promising spans alone; empty without spans."""
    passages = build_passages(evidence)
    read = [read_passage(passage, ANALYZER) for passage in passages]
    asked = read_question(question, analyzer=ANALYZER, index=INDEX)
    ordered = sorted(find_spans(asked, read), key=lambda span: -span.promise)
    sure = [replace(span, probability=float(place < count)) for place, span in enumerate(ordered)]
    quotes = [each for quote in choose_answer(asked, read, sure) for each in quote.passage_quotes()]
    texts = {passage.marker: passage.text for passage in passages}
    return "\n".join(texts[quote.marker][low:high] for quote in quotes for low, high in quote.ranges)


@walk(
    "text",
    [
        "In short:",
        "요약하자면:",
        "명령은 다음과 같다.",
        "The steps are as follows.",
    ],
)
def test_line_that_only_says_that_something_follows_leads_on(text: str) -> None:
    assert leads_on(text)


@walk("text", ["다음 날 돌아왔다.", "The following day was dry.", "port: 8080", ""])
def test_line_that_says_something_itself_does_not(text: str) -> None:
    assert not leads_on(text)


def test_lead_in_without_what_follows_is_no_quoted() -> None:
    assert quoted("in short the index keeps", "In short the index keeps:") == ""


@walk("lead", ["To start the backup by hand:", "The backup start command is as follows."])
def test_command_below_a_lead_in_is_quoted_with_it(lead: str) -> None:
    text = f"Photos are here. {lead}\n\nsnapcopy run --target grey\n\nRain fell on the town."
    assert quoted("which command start the backup", text) == f"{lead}\n\nsnapcopy run --target grey"


def test_command_below_the_question_itself_is_quoted_without_the_question() -> None:
    text = "Which command makes the index again?\n\nkebab ingest --force\n\nThe index is large."
    assert quoted("which command makes the index again?", text) == "kebab ingest --force"


def test_head_of_a_callout_is_quoted_with_the_sentence_below_it() -> None:
    tip = "Tip: 찌개 맛내기\n쌀뜨물을 쓰면 국물이 더 구수하다."
    text = f"가게는 월요일에 쉰다.\n\n{tip} 간이 약하면 소금을 반 작은술 넣는다."
    assert quoted("찌개 맛내기", text) == f"{tip}"


def test_value_in_a_block_of_code_is_quoted_with_its_block() -> None:
    text = "The client retries.\n\nMAX_RETRIES = 5\nTIMEOUT = 30"
    assert "MAX_RETRIES = 5" in quoted("What is the value of MAX_RETRIES", text)


def test_heading_of_plain_text_is_no_answer_and_stands_for_what_is_below_it() -> None:
    text = "Rain fell.\n\nIndex words\n\nTerms are kept here for long.\n\nSnow lay about in town."
    assert quoted("index words", text) == "Terms are kept here for long."


def test_reason_in_the_next_sentence_comes_along() -> None:
    text = "The release was moved to Monday. It is because the certificate is missing. Rain fell on the town."
    assert quoted("why was the release moved", text).startswith(
        "The release was moved to Monday. It is because the certificate is missing."
    )


def test_code_after_a_sentence_comes_along_where_a_question_asks_how() -> None:
    text = "The index is made again by hand.\n\nmake index --all\n\nRain fell on the town."
    assert "make index --all" in quoted("how is the index made again", text + "\n\nIt works:")


def test_sentence_about_another_of_two_things_is_not_taken_for_the_one_asked_for() -> None:
    text = "The primary of billing on-call is Ana. The backup of billing on-call is Raj."
    assert quoted("backup of billing on-call", text).startswith("The backup of billing on-call is Raj.")


def test_attribute_alone_may_be_asked_for() -> None:
    assert quoted("How much is the fee?", "The fee is 5 euros a year.") == "The fee is 5 euros a year."


def test_title_begins_as_one_and_a_command_does_not() -> None:
    assert is_title("Index words")
    assert is_title("색인 낱말")
    assert not is_title("snapcopy run")


@walk(("text", "refers"), [("It holds 3.", True), ("이는 크다.", True), ("Italy is far.", False)])
def test_sentence_that_begins_with_a_pronoun_refers_back(text: str, *, refers: bool) -> None:
    assert refers_back(text) is refers


def test_all_steps_of_a_list_are_one_quote_where_a_question_asks_how() -> None:
    steps = "1. Stop the index.\n2. Restore the terms.\n3. Start it again.\n4. Read the log."
    assert quoted("How do I restore the terms of the index?", steps) == f"{steps}"


def test_one_of_several_things_brings_the_others_with_the_line_that_leads_to_them() -> None:
    things = "The index keeps these:\n- terms of chunks\n- titles\n- headings"
    assert quoted("what are the terms that the index keeps", f"Rain fell.\n\n{things}") == f"{things}"


def test_one_of_several_things_is_quoted_alone_where_one_is_asked_for() -> None:
    rows = "The index keeps these:\n- terms of chunks in 1998\n- titles"
    assert "titles" not in quoted("when did index keep terms of chunks", rows)


def test_sentence_brings_the_next_one_where_that_goes_on_from_it() -> None:
    text = "The index keeps terms of chunks. So it is large. Rain fell."
    assert quoted("index keeps terms chunks", text) == "The index keeps terms of chunks. So it is large."


def test_message_of_a_chat_is_quoted_alone_with_who_says_it_and_when() -> None:
    chat = "[엄마] [오전 9:40] 전은 이모가 부쳐 온대\n[동생] [오후 7:15] 선물은 한우 세트로 살게\n[나] [오후 7:30] 좋아요\n[나] [오후 7:31] 기차표 바뀌었어요"
    assert quoted("선물은 뭘로 해?", chat) == chat.split("\n")[1]


def test_neighbour_of_a_message_is_quoted_only_with_a_word_of_the_question_of_its_own() -> None:
    chat = (
        "[Rhea] [15:21] The ridge path is closed for falcons\n\n[Sten] [15:25] We take the path by the quarry"
    )
    assert quoted("why is the ridge path closed?", chat, count=2) == chat.partition("\n\n")[0]
    assert quoted("which path is closed and where is the quarry?", chat, count=2) == chat
    event = "30/04/2026, 18:20 - Messages are encrypted.\n\n30/04/2026, 18:21 - Greta: The water is off in October"
    assert quoted("when is the water off?", event, count=2) == event.partition("\n\n")[2]


def test_a_line_of_a_message_is_quoted_with_the_beginning_that_says_who_and_when() -> None:
    chat = "2026년 3월 13일 오후 3:21, 지우 : 여행 준비물이야.\n텐트는 민호가 가져온대.\n\n2026년 3월 13일 오후 3:25, 민호 : 알겠어"
    assert quoted("텐트는 누가 가져와?", chat) == chat.partition("\n\n")[0]
    long = f"3/13/26, 3:21 PM - Mia: {'We walked on. ' * 60}\nThe tent is in the blue car.\n3/13/26, 3:30 PM - Tom: ok"
    assert (
        quoted("where is the tent?", long)
        == "3/13/26, 3:21 PM - Mia: We walked on.\nThe tent is in the blue car."
    )


def test_messages_of_line_discord_and_zoom_are_quoted_with_who_says_them_and_when() -> None:
    line = "15:21\tYuki\tHello. The shop closes at six.\n\n15:25\tHana\tI see"
    assert quoted("at what hour does the shop close?", line) == line.partition("\n\n")[0]
    discord = "[13/03/2026 15:21] mia\nHi. The bus leaves from platform 3.\n\n[13-Mar-26 03:25 PM] tom\nfine with me"
    assert quoted("where does the bus leave?", discord) == discord.partition("\n\n")[0]
    zoom = "15:22:10\t From  Tom to Everyone:\nI send the minutes on Monday\n\n15:23:00\t From  Kim Hana to Everyone:\nthanks"
    assert quoted("who sends the minutes?", zoom) == zoom.partition("\n\n")[0]


def test_field_of_a_mail_answers_only_what_it_holds() -> None:
    mail = "From: Northwind <billing@northwind.example>\nTo: kim@example.org\nDate: Tue, 03 Feb 2026 09:14\n\nYour invoice is due soon."
    assert quoted("how much is the Northwind invoice?", mail) == "Your invoice is due soon."
    assert quoted("when did Northwind write?", mail).startswith("Date: Tue, 03 Feb 2026")


def test_line_above_a_table_brings_the_table() -> None:
    table = "The index keeps terms of each kind\n\nkind | place\nword | here\npart | there"
    assert quoted("index keeps terms kind", f"{table}\n\nRain fell.") == f"{table}"


def test_paragraph_brings_what_goes_on_about_the_question_and_a_fact_stands_alone() -> None:
    text = "Rain fell. The index keeps terms of chunks. It weighs them. Snow lay in May."
    assert quoted("index keeps terms", text) == "The index keeps terms of chunks. It weighs them."
    text = "The index was made in 2021. The index keeps terms."
    assert quoted("when was the index made", text) == "The index was made in 2021."


def test_fact_in_an_item_of_several_sentences_is_quoted_with_its_item() -> None:
    item = "- The boiler was cleaned on 12 October. It took 3 hours,\n  parts included. Mr Kim came."
    text = f"- The roof was mended in May.\n{item}\n- The door is new."
    assert quoted("when was the boiler cleaned", text) == item
    assert quoted("how many hours took it", text) == item


def test_line_that_repeats_the_question_brings_its_list() -> None:
    things = "The rules of the index:\n- terms of chunks\n- titles\n- headings"
    assert quoted("what are the rules of the index?", f"Rain fell.\n\n{things}") == f"{things}"


@walk("lead", ["Markdown chunking 규칙", "Markdown chunking 은 다음 규칙 을 따른다:"])
def test_list_below_its_lead_line_or_heading_answers_a_question_for_rules(lead: str) -> None:
    rules = "- heading boundary 우선\n- code block 은 나누지 않음\n- table 은 한 chunk"
    assert quoted("Markdown chunking 규칙 은?", f"{lead}\n\n{rules}") == f"{lead}\n\n{rules}"


@walk("question", ["What are the index terms that wrap?", "How do index terms wrap?"])
def test_item_of_a_long_list_that_no_line_leads_into_is_quoted_alone(question: str) -> None:
    others = [f"- page {n} of Markdown, read line by line" for n in range(40)]
    item = "- the index terms wrap at the edge"
    assert quoted(question, "\n".join([*others[:3], item, *others[3:]])) == f"{item[2:]}"
    led = quoted(question, "\n".join(["The index is this:", *others[:3], item, *others[3:]]))
    assert led.startswith("The index is this:\n- page 0")
    short = "\n".join([*others[:3], item, *others[3:18]])
    assert quoted(question, short) == f"{short}"


@walk("question", ["How do index terms wrap?", "Why do index terms wrap?"])
def test_way_and_reason_are_quoted_with_the_section_around_the_sentence(question: str) -> None:
    text = "The index terms wrap.\n\nOpen the lid first.\n\n- Turn the key.\n- Let go."
    assert quoted(question, text) == f"{text}"
    assert quoted("Which index terms wrap?", text) == "The index terms wrap."


def test_reason_is_not_sought_in_the_records_beside_one() -> None:
    rows = ["part | state | note", *(f"P{n} | fine | nothing is said of it here" for n in range(9))]
    row = "index | broken | the terms wrap"
    table = "\n".join([*rows[:4], row, *rows[4:], *MANY_ROWS])
    assert quoted("Why do index terms wrap?", table) == f"{rows[0]}\n{row}"
    records = [f'  "key": {n},\n  "note": "rain fell on the town"' for n in range(12)]
    records.insert(3, '  "key": "A",\n  "note": "the index terms wrap"')
    data = build_passage("[{\n" + "\n}, {\n".join(records) + "\n}]")
    place = CodeCitation(path=WorkspacePath("export.json"), line_start=1, line_end=53)
    said = quoted("Why do index terms wrap?", data.model_copy(update={"citation": place}))
    assert said == records[3].strip()


def test_section_ends_at_the_next_heading_and_is_split_by_what_cannot_be_printed() -> None:
    text = "The index terms wrap.\n\n{* lid.py *}\n\nOpen the lid first.\n\n# Other\n\nLeave it."
    assert quoted("How do index terms wrap?", text) == "The index terms wrap.\nOpen the lid first."


def test_long_section_is_quoted_from_the_sentence_on() -> None:
    before, after = "It is said that all is well there. " * 20, "Then the lid opens by itself again. " * 30
    said = quoted("How do index terms wrap?", f"{before}\n\nThe index terms wrap.\n\n{after}")
    assert said.startswith("The index terms wrap.\n\nThen the lid opens")
    assert len(said) <= 810


LABELLED = "Moves of the team\nkeywords: release, rollback\ntags:\n  - ops\n  - rollback\nowner: Mina Kim\n\n"


def test_tags_and_keywords_are_no_answer_and_come_along_with_none() -> None:
    text = LABELLED + "A rollback starts the image of before. It takes long.\n\n- [ ] rollback list"
    assert "A rollback starts the image of before." in (said := quoted("how does a rollback start", text))
    assert not any(word in said for word in ("tags", "ops", "keywords"))
    assert quoted("who is the owner", LABELLED) == "owner: Mina Kim"


def test_tags_are_quoted_where_the_question_names_them() -> None:
    said = quoted("What are the tags of Moves?", build_passage(LABELLED, title="Moves"))
    assert said == "tags:\n  - ops\n  - rollback"
    assert quoted("Moves 태그", build_passage("글이 있다.\ntags: [ops]", title="Moves")) == "tags: [ops]"


def test_sentence_that_begins_like_a_label_is_an_quoted() -> None:
    text = "Layout: the map room lies in the north wing."
    assert quoted("where does the map room lie", text) == f"{text}"


def test_line_that_leads_to_a_list_brings_it_along() -> None:
    text = "Rain fell.\n\nThe index keeps terms of:\n- titles\n- headings\n\nSnow lay."
    assert quoted("index keeps terms", text) == "The index keeps terms of:\n- titles\n- headings"


def test_item_of_a_short_list_brings_the_list_and_the_line_that_leads_to_it() -> None:
    text = "The parser reads:\n- a page of Markdown\n- the index that keeps terms"
    assert quoted("index keeps terms", f"{text}\n\nSnow lay.") == f"{text}"


@walk(
    ("question", "expected"),
    [
        ("when was the parser made", "The parser was made in 1998 by them."),
        ("why was the parser made", "The parser was made because pages differ."),
        ("how many kinds is the parser made for", "The parser was made for seven kinds."),
        ("언제 the parser was made", "The parser was made in 1998 by them."),
        ("왜 the parser was made", "The parser was made because pages differ."),
    ],
)
def test_sentence_with_the_kind_of_thing_that_is_asked_for_is_preferred(question: str, expected: str) -> None:
    text = (
        "The parser was made here. Rain. The parser was made in 1998 by them. Rain again. "
        "The parser was made because pages differ. More rain. The parser was made for seven kinds."
    )
    assert expected in quoted(question, text)


def test_question_is_never_repeated_as_its_quoted() -> None:
    text = "What does the index hold?\n\nThe index\n\nIts parts hold the terms of the index."
    assert quoted("What does the index hold?", text) == "Its parts hold the terms of the index."


def test_headings_are_no_answers() -> None:
    passage = build_passage("Index keeps terms\n\nRain fell on the index.", title="Index keeps terms")
    assert quoted("index keeps terms", passage) == "Rain fell on the index."


MANY_ROWS = [f"row {n} | nothing is said here" for n in range(30)]


def test_item_of_a_long_list_brings_the_line_that_leads_to_it() -> None:
    items = "\n".join(f"- page {n} of Markdown, read line by line" for n in range(30))
    text = f"The parser reads:\n{items}\n- the index that keeps terms"
    assert quoted("index keeps terms", text) == "The parser reads:\nthe index that keeps terms"


@walk(
    "rows",
    [
        ["index | keeps terms", "port | 8080 is usual", "host | here"],
        ["port | 8080 is usual", "index | keeps terms", "host | here"],
        ["port | 8080 is usual", "host | here", "index | keeps terms"],
    ],
)
def test_short_table_is_quoted_whole_and_of_a_long_one_the_row_and_its_heads(rows: list[str]) -> None:
    text = "\n".join(["key | meaning", *rows])
    assert quoted("index keeps what", text) == f"{text}"
    text = "\n".join(["key | meaning", *rows, *MANY_ROWS])
    assert quoted("index keeps what", text) == "key | meaning\nindex | keeps terms"


def test_short_block_of_code_is_quoted_whole() -> None:
    text = "Rain fell on it.\n\ndef index():\n    keeps = terms\n    return keeps\n\nSnow lay."
    assert quoted("def index() keeps terms", text) == "def index():\n    keeps = terms\n    return keeps"


MANY_ROWS = [f"row {n} | nothing is said here" for n in range(30)]


def test_rows_of_one_table_share_one_marker_whatever_stands_between_them() -> None:
    rows = ["index | keeps terms now", *MANY_ROWS, "index | keeps terms well"]
    assert quoted("index keeps terms", "\n".join(["key | meaning", *rows]), count=2) == (
        "key | meaning\nindex | keeps terms now\nindex | keeps terms well"
    )


def test_long_block_of_code_is_quoted_by_line() -> None:
    lines = [f"value_{n} = read({n})" for n in range(60)]
    citation = CodeCitation(path=WorkspacePath("a.py"), line_start=1, line_end=60)
    passage = build_passage("\n".join(lines), citation=citation)
    assert "value_31 = read(31)" in quoted("value_31", passage)


@walk("evidence", [(), ("",), ("\n \n",), ("???",)])
def test_evidence_that_says_nothing_does_not_quoted(evidence: tuple[str, ...]) -> None:
    assert quoted("index keeps terms", *evidence) == ""


def test_quotes_take_4_kib_at_most_and_none_is_cut() -> None:
    items = "\n".join(["- 많은 것을 빠짐없이 적어 둔다"] * 50)
    lists = [f"The index keeps terms of kind {n}:\n{items}" for n in range(3)]
    assert quoted("index keeps terms", *lists) == f"{lists[0]}"


@walk(
    "line",
    ["{* ../index/keeps_terms.py hl[2] *}", "- [index keeps terms](a.md)", "![index keeps terms](a.png)"],
)
def test_directives_and_bare_links_are_never_answers(line: str) -> None:
    assert quoted("index keeps terms", f"{line}\n\nThe index keeps many.") == "The index keeps many."

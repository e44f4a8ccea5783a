from hypothesis import given, strategies as st
from kebab_extractive.answer_constraints import read_constraints
from kebab_testing.tables import walk

HELD = [
    ("What is the price of the lamp?", "The lamp is 240 here.", "The lamp hangs in the hall."),
    ("How much did the lamp cost?", "We paid $24 for the lamp.", "The lamp was bought on 3 May."),
    ("램프 가격은 얼마인가요?", "램프는 2만 원에 샀다.", "램프는 3월 2일에 샀다."),
    ("월세는 얼마인가요?", "월세는 50만 원이다.", "월세는 매달 25일에 보낸다."),
    ("What is the phone number of the shop?", "The shop: 555-0142.", "The shop opens at 9 on weekdays."),
    ("가게 전화번호는?", "가게는 02-555-0142이다.", "가게는 토요일에 쉰다."),
    ("가게 예약 번호 알려줘", "예약은 JR-88231이다.", "예약은 9월에 했다."),
    ("회사 메일 주소는?", "대표 메일은 hello@moru.example이다.", "대표 메일은 매일 본다."),
    ("When was the lamp bought?", "The lamp was bought in June.", "The lamp was bought at the shop."),
    ("램프는 언제 샀나요?", "램프는 어제 샀다.", "램프는 가게에서 샀다."),
    ("How many lamps are there?", "There are two lamps.", "There are lamps."),
    ("몇 명이 가나요?", "세 사람이 간다.", "5월 9일에 간다."),
    ("백업은 몇 시간 걸려?", "백업은 2시간 걸린다.", "백업은 새벽 3시에 한다."),
    ("How long does it take?", "It takes an hour or two.", "It takes patience."),
    ("Who wrote the queue?", "The queue was written by Priya.", "The queue was written in haste."),
    ("Where is the lamp?", "The lamp hangs in the shed.", "The lamp is not in the hall."),
    ("램프는 어디에 있나요?", "램프는 창고에 있다.", "램프는 2층에 없다."),
    ("Where is the lamp?", "The lamp hangs in the hall.", "The lamp is new."),
    ("수업은 무슨 요일이야?", "수업은 화요일에 있다.", "수업 재료비는 3만 5천 원이다."),
    ("수업은 언제 하나요?", "수업은 3월 2일에 한다.", "수업료는 3만 5천 원이다."),
    ("램프는 어디에 있나요?", "램프는 거실에 있다.", "램프는 새것이다."),
    ("How large is the lamp?", "The lamp is 40 cm high.", "The lamp is no longer new."),
    ("보고서는 누구 책임이야?", "보고서는 이서연 님이 맡는다.", "내일 쓴다."),
    ("How much does a lamp cost?", "A lamp is 24.", "The lamp was made in May 2023."),
    ("What does the lamp cost?", "The lamp costs 24 euros.", "The lamp is number 24."),
    (
        "When does the password change?",
        "It changes on the first Monday of the month.",
        "The password is tulip-42.",
    ),
    ("When does the night bus leave?", "The night bus leaves at 23:40.", "The night bus has free seats."),
    ("How often is the lamp cleaned?", "The lamp is cleaned every month.", "The lamp hangs in the hall."),
    ("램프는 얼마나 자주 닦나요?", "램프는 매달 닦는다.", "램프는 밖에 있다."),
    ("회의록은 누가 작성하나요?", "회의록은 이서연 님이 작성한다.", "회의록을 새로 썼다."),
    ("모바일팀 팀장은 누구야?", "팀장은 박지영이다.", "팀장은 바쁘다."),
    ("디자인 담당은 누구야?", "디자인 담당은 한지우이다", "디자인 담당은 필요하다"),
    ("주치의는 누구야?", "주치의는 서지훈 선생님이다.", "주치의는 곧 돌아올 예정이다."),
    ("새 매니저는 누구예요?", "새 매니저는 이수진입니다", "새 매니저는 내일 올 것입니다"),
    ("결혼식 사회자는 누구야?", "결혼식 사회자는 최민호예요.", "결혼식 사회자는 늦을 거예요."),
    ("발표자는 누구였어?", "발표자는 정우성 대리였다.", "발표자는 10분 동안 발표하였다."),
    ("총무는 누구야?", "총무는 최민호다!", "총무는 3명이다."),
    ("총무는 누구인가요?", "총무는 윤하입니다.", "총무는 장부를 관리합니다."),
    ("Who manages the warehouse?", "Mr. Park manages the warehouse.", "The warehouse is managed."),
    ("Who designed the logo?", "Dr. Seo designed the logo in May.", "The logo is blue and round."),
    ("Who wrote The Hobbit?", "J. R. Tolkien wrote The Hobbit.", "The Hobbit was written at night."),
    ("Who can unlock the door?", "Bob can unlock the door.", "The door can be unlocked."),
]


@walk(("question", "answer", "other"), HELD)
def test_what_is_asked_for_must_stand_in_the_sentence(question: str, answer: str, other: str) -> None:
    constraints = read_constraints(question)
    assert constraints.are_met(answer)
    assert not constraints.are_met(other)


@walk("question", ["요금제는 얼마야?", "요금제 가격은?", "How many plans are there?", "What is the price?"])
@walk(
    "text",
    [
        "1. 요금제를 열어요",
        "2) Open the plan",
        "v1.4 has a plan",
        "1.4.2 has a plan",
        "since 2024-03-02",
        "2024. 3. 2. 변경",
    ],
)
def test_numbers_of_items_dates_and_versions_are_no_amounts(question: str, text: str) -> None:
    constraints = read_constraints(question)
    assert not constraints.are_met(text)
    assert constraints.are_met(f"{text}: 8 dollars")


def test_number_of_the_item_that_is_asked_for_may_be_its_marker() -> None:
    assert read_constraints("Which step number opens the lid?").are_met("3. opens the lid, step 12")


@walk(
    ("question", "words", "topic"),
    [
        ("How much is the lamp?", "much", "lamp"),
        ("What is the value of PORT?", "value", "PORT"),
        ("로그는 며칠 동안 보관하나요?", "며칠", "로그"),
        ("색인하는 명령은?", "명령", "색인"),
    ],
)
def test_words_that_state_what_is_asked_for_need_not_stand_in_the_sentence(
    question: str, words: str, topic: str
) -> None:
    constraints = read_constraints(question)
    assert constraints.state(question.index(words))
    assert not constraints.state(question.index(topic))


def test_figure_that_the_question_names_itself_is_no_answer() -> None:
    constraints = read_constraints("When was lamp 5 released?")
    assert not constraints.are_met("The lamp 5 was released.")


def test_place_may_be_named_by_the_line_that_leads_to_a_sentence_and_a_name_may_not() -> None:
    assert read_constraints("Where is the lamp?").are_met("- the lamp", lead="In the shed:")
    assert not read_constraints("Who paid the rent?").are_met("- paid in cash", lead="Said by Priya:")


def test_question_for_anything_else_demands_nothing() -> None:
    assert read_constraints("What does the lamp do?").are_met("")


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_texts_can_be_compared(question: str, text: str) -> None:
    assert read_constraints(question).are_met(text) in {True, False}

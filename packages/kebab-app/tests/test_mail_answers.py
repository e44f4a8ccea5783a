"""Answers from mails: what they say, not their header fields."""

from __future__ import annotations

from email.message import EmailMessage
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Base

pytestmark = pytest.mark.usefixtures("one_process")
QUOTED = "> 보낸 사람: 이영희\n> 보낸 날짜: 2026년 2월 4일\n> 포장 규격은 미정입니다.\n"
MAILS = (
    ("jung@example.kr", "RE: 계약금", "네, 계약금은 이백만원으로 확정합니다.\n"),
    ("김민수 <minsu@example.kr>", "납품 일정", f"납품은 4월 셋째 주에 합니다.\n\n{QUOTED}"),
    ("lee@example.kr", "회의실 안내", "회의실은 삼층 동쪽 끝입니다.\n"),
    ("Dana Whitfield <dana@example.com>", "Offsite in May", "Please book your train until Friday.\n"),
    ("한지우 <han@example.kr>", "워크숍", "워크숍 자료를 드립니다. 확인 부탁드립니다.\n"),
)


@pytest.fixture
def mails(base: Base) -> Base:
    for number, (sender, subject, text) in enumerate(MAILS):
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = sender, "Park Jiho <park@example.kr>", subject
        mail["Date"] = f"Thu, {number + 5} Mar 2026 09:00:00 +0900"
        mail.set_content(text)
        if subject == "워크숍":
            mail.add_attachment("첫째 날은 산에 갑니다.", filename="일정표.txt")
        base.write(f"{number}.eml", mail.as_bytes())
    base.ingest()
    return base


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("계약금은 얼마인가요?", "네, 계약금은 이백만원으로 확정합니다."),
        ("납품은 언제 하나요?", "납품은 4월 셋째 주에 합니다."),
        ("회의실은 어디인가요?", "회의실은 삼층 동쪽 끝입니다."),
    ],
)
def test_an_answer_is_what_a_mail_says_without_its_header_fields(
    mails: Base, question: str, said: str
) -> None:
    answer = mails.app.ask(question)
    assert answer.grounded
    assert said in answer.answer
    assert "Mar 2026" not in answer.answer
    assert "@" not in answer.answer


@pytest.mark.parametrize(
    "question",
    ["계약금은 언제 보내나요?", "포장 규격은 언제 정하나요?", "계약금 메일에 금액이 몇 개 있나요?"],
)
def test_the_date_of_a_mail_answers_nothing_about_what_it_says(mails: Base, question: str) -> None:
    answer = mails.app.ask(question)
    assert not answer.grounded
    assert "Mar 2026" not in answer.answer
    assert "2월 4일" not in answer.answer


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("납품 일정 메일 보낸 사람은?", "From: 김민수 <minsu@example.kr>"),
        ("납품 일정 메일은 언제 왔나요?", "Date: Fri, 06 Mar 2026"),
        ("회의실 안내 메일은 누가 보냈나요?", "From: lee@example.kr"),
        ("누가 워크숍 자료를 보냈나요?", "From: 한지우 <han@example.kr>"),
        ("일정표.txt는 누가 보냈나요?", "From: 한지우 <han@example.kr>"),
        ("who sent the mail about the offsite?", "From: Dana Whitfield <dana@example.com>"),
        ("When did Dana send the mail about the offsite?", "Date: Sun, 08 Mar 2026"),
        ("Who did Dana send the mail about the offsite to?", "To: Park Jiho <park@example.kr>"),
    ],
)
def test_header_fields_are_told_where_a_mail_is_asked_for(mails: Base, question: str, said: str) -> None:
    answer = mails.app.ask(question)
    assert answer.grounded
    assert said in answer.answer


@pytest.mark.parametrize(
    "question",
    [
        "휴가 메일은 누가 보냈나요?",
        "누가 휴가 자료를 보냈나요?",
        "예산표.xlsx는 누가 보냈나요?",
        "온라인 메일은 누가 보냈나요?",
        "who sent the mail about the harbour?",
        "이영희가 보낸 납품 일정 메일은 언제 왔나요?",
        "When did Omar send the mail about the offsite?",
        "who wrote to Dana about the offsite?",
        "계약금은 누가 보냈나요?",
    ],
)
def test_header_fields_of_other_mails_answer_nothing(mails: Base, question: str) -> None:
    answer = mails.app.ask(question)
    assert not answer.grounded
    assert "From:" not in answer.answer


def test_a_mail_is_found_by_its_sender(mails: Base) -> None:
    hits = mails.app.search("김민수가 보낸 메일").hits
    assert hits[0].citation.path == "1.eml"

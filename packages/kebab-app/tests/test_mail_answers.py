"""Answers from mails: what they say, and their header fields."""

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
def test_what_a_mail_says_is_quoted(mails: Base, question: str, said: str) -> None:
    assert said in mails.app.ask(question).answer


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("납품 일정 메일은 언제 왔나요?", "Date: Fri, 06 Mar 2026"),
        ("회의실 안내 메일은 누가 보냈나요?", "From: lee@example.kr"),
        ("일정표.txt는 누가 보냈나요?", "From: 한지우 <han@example.kr>"),
        ("who sent the mail about the offsite?", "From: Dana Whitfield <dana@example.com>"),
        ("When did Dana send the mail about the offsite?", "Date: Sun, 08 Mar 2026"),
        ("Who did Dana send the mail about the offsite to?", "To: Park Jiho <park@example.kr>"),
    ],
)
def test_header_fields_are_quoted_where_a_mail_is_asked_for(mails: Base, question: str, said: str) -> None:
    assert said in mails.app.ask(question).answer


def test_a_mail_is_found_by_its_sender(mails: Base) -> None:
    hits = mails.app.search("김민수가 보낸 메일").hits
    assert hits[0].citation.path == "1.eml"

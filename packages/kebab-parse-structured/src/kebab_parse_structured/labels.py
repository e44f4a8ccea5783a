"""Words that are written before facts of calendars and contacts, in the language of the entry."""

from __future__ import annotations

import re

_HANGUL = re.compile("[가-힣]")
_KOREAN = {
    "when": "일시", "due": "기한", "done": "완료", "repeats": "반복", "not on": "제외", "where": "장소", "who": "참석자",
    "organizer": "주최자", "status": "상태", "tags": "분류", "link": "링크", "until": "종료", "phone": "전화", "mail": "메일",
    "company": "회사", "role": "직책", "address": "주소", "birthday": "생일", "note": "메모", "nickname": "별명", "home": "집",
    "work": "직장", "cell": "휴대폰", "fax": "팩스", "anniversary": "기념일", "related": "관계", "weather": "날씨", "updated": "수정",
}  # fmt: skip
_FREQUENCIES = {
    "DAILY": ("day", "일"),
    "WEEKLY": ("week", "주"),
    "MONTHLY": ("month", "개월"),
    "YEARLY": ("year", "년"),
    "HOURLY": ("hour", "시간"),
}
_EVERY = {"DAILY": "매일", "WEEKLY": "매주", "MONTHLY": "매월", "YEARLY": "매년", "HOURLY": "매시간"}
_WEEKDAYS = {
    "MO": ("Mon", "월"), "TU": ("Tue", "화"), "WE": ("Wed", "수"), "TH": ("Thu", "목"), "FR": ("Fri", "금"),
    "SA": ("Sat", "토"), "SU": ("Sun", "일"),
}  # fmt: skip

_ORDINALS = {"1": "st", "2": "nd", "3": "rd"}


class Labels:
    """Words in Korean if the entry has Hangul, else in English.

    Args:
        text: The text of the entry.
    """

    def __init__(self, text: str) -> None:
        self._is_korean = _HANGUL.search(text) is not None

    def __call__(self, name: str) -> str:
        """Return the word for a fact, by its English name."""
        return _KOREAN.get(name, name) if self._is_korean else name.capitalize()

    def frequency(self, name: str, interval: str) -> str:
        """Return how often an event repeats, by the names of RFC 5545."""
        english, korean = _FREQUENCIES.get(name, (name.lower(), name.lower()))
        if interval in {"", "1"}:
            return _EVERY.get(name, korean) if self._is_korean else f"every {english}"
        return f"{interval}{korean}마다" if self._is_korean else f"every {interval} {english}s"

    def weekdays(self, days: str) -> str:
        """Return days of the week, by the names of RFC 5545: `Mon`, `the 2nd Tue` of a month."""
        shown = ((day[:-2], _WEEKDAYS.get(day[-2:], (day[-2:], day[-2:]))) for day in days.split(","))
        return ", ".join(f"{self._place(number)}{names[self._is_korean]}" for number, names in shown)

    def month_days(self, days: str) -> str:
        """Return days of a month, which are negative where they count from its end: `on the 12th`, `12일`."""
        if self._is_korean:
            return ", ".join("말일" if day == "-1" else f"{day}일" for day in days.split(","))
        shown = (f"{self._place(day)}{'day' * (day == '-1')}".rstrip() for day in days.split(","))
        return f"on {', '.join(shown)}"

    def _place(self, number: str) -> str:
        if not number:
            return ""
        if number == "-1":
            return "마지막 " if self._is_korean else "the last "
        if self._is_korean:
            return f"{number}번째 "
        is_teen = number[-2:-1] == "1"
        return f"the {number}{'th' if is_teen else _ORDINALS.get(number[-1], 'th')} "

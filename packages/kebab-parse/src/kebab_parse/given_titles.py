"""Titles in the metadata of files that no person wrote: names of files, unfilled templates, what programs and scanners put there."""

from __future__ import annotations

import re

_MAX_CHARS = 300
"""Longer titles are read as they are."""
_FILE_NAME = (
    r".*\.(?:docx?|docm|dotx?|xlsx?|xlsm|pptx?|ppsx?|potx?|hwpx?|hwt|od[tsp]|rtf|tex|dvi|e?ps|indd|qxd|pub|vsdx?|wpd|sxw|pdf|epub|"
    r"x?html?|txt|tiff?|jpe?g|png|bmp)(?: ?\[.*\])?"
)
_LOCATION = r"(?:[a-z]:[\\/]|\\\\|file:/).+|(?:https?://|about:|/(?=[^/ ]+/))\S+"
_PRINTED = r"(?:microsoft|hancom|libreoffice|openoffice) [\w ]{1,20} - .*"
_UNFILLED = (
    r"\{.*\}|\$\{.*\}|\$\w+\$|%\w+%|<[^<>]*>|<<.*>>|__\w+__|\[[^\[\]]*(?:title|제목|입력)[^\[\]]*\]|"
    r"(?:click|type|enter|insert) [\w ]{0,30}title(?: here)?|제목을 입력\w*"
)
"""Fields in the brackets and signs of templates."""
_SCANNED = (
    r"(?=\S*\d{8})[\x21-\x7e]+|[a-z]{2,5}[-_]?0\d{2,}|"
    r"(?:adobe ?|cam ?)?scan(?:s|ner|ned)?(?: (?:document|image)s?)?(?: ?[a-z]{3,4}(?=[ .]\d))?[\W\d_]*|스캔[\W\d_]*"
)
"""A word with a whole date or a counter, and the word itself."""
_NEW = (
    r"(?:new |새 ?)?(?:untitled|no ?title|제목 ?없(?:음|는)|무제|無題|无标题|document|word document|문서|presentation|프레젠테이션|"
    r"book|workbook|통합 문서|sheet|시트|slide|슬라이드|page|페이지|template|서식|main|index|default|output|title|제목)"
    r"(?:(?: ?document| ?문서| ?page)?[-_ ]?\(?\d{0,3}\)?)?|"
    r"(?:[^\W\d]+ (?:de |do |di )?)?powerpoint[- ]?(?:프레젠테이션|プレゼンテーション|演示文稿|pr[eéäæo]\w{0,3}[sz]\w*)?"
)
"""What programs call something new, in most with a number."""
_NOT_GIVEN = re.compile("|".join((_FILE_NAME, _LOCATION, _PRINTED, _UNFILLED, _SCANNED, _NEW)), re.IGNORECASE)
_NOTHING = re.compile(r"[\W_]*")


def read_given_title(text: str) -> str | None:
    """Return a title of metadata on one line; None for one that says nothing about the document.

    Those are told by their form: a file's name or address, a field of a template, a date or counter as scanners write it, the name of
    a program in front of a file's, and the few words by which programs call something new. A subject of a mail is none of them.
    """
    title = " ".join(text.split())
    if _NOTHING.fullmatch(title):
        return None
    return None if len(title) <= _MAX_CHARS and _NOT_GIVEN.fullmatch(title) else title

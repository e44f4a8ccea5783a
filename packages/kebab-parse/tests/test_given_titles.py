"""Titles of metadata that say nothing are not taken."""

from __future__ import annotations

from kebab_parse import read_given_title
from kebab_testing.tables import walk


@walk(
    "title",
    [
        *(
            "",
            "---",
            "Untitled",
            "untitled-1",
            "Untitled Document",
            "제목 없음",
            "무제",
            "main",
            "Word Document",
            "page 3",
        ),
        *("Document1", "문서 1", "Presentation2", "통합 문서1", "Slide 1", "새 문서", "New Page 1"),
        *(
            "PowerPoint Presentation",
            "PowerPoint 프레젠테이션",
            "Présentation PowerPoint",
            "PowerPoint-Präsentation",
        ),
        *("Microsoft Word - foo", "report_v2.hwp", "draft.doc [Compatibility Mode]", "paper.dvi"),
        *(r"C:\Users\a\my report", "file://host/a/x", "https://example.com/a", "/srv/a/x", "about:blank"),
        *(
            "{{ title }}",
            "${title}",
            "%TITLE%",
            "<제목>",
            "[Document title]",
            "Type the document title",
            "제목을 입력하세요",
        ),
        *("SKM_C25824031512340", "20240315_093012", "SCN0001", "Scanned Document", "Adobe Scan Mar 15, 2024"),
        *("CamScanner 03-15-2024 09.30", "스캔_20240315"),
    ],
)
def test_a_title_that_nobody_wrote_is_none(title: str) -> None:
    assert read_given_title(title) is None


@walk(
    "title",
    [
        *(
            "Node.js",
            "ASP.NET",
            "C++",
            "grep",
            "1984",
            "300",
            "RFC 2616",
            "ISO27001",
            "CVE-2021-44228",
            "COVID-19",
        ),
        *("Untitled Goose Game", "Document Object Model", "Documentation", "Main Street", "Page not found"),
        *(
            "Scanning electron microscopy",
            "PowerPoint tips",
            "Microsoft Word for Beginners",
            "/etc/hosts explained",
        ),
        *(
            "문서화 지침",
            "제목의 힘",
            "프레젠테이션 잘하는 법",
            "[2024년 사업 계획]",
            "2024-03-15 회의",
            "연간 보고서 2024",
        ),
    ],
)
def test_a_title_that_somebody_wrote_is_taken(title: str) -> None:
    assert read_given_title(f" {title}\n") == title

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import pairwise

from kebab_core import ExtractContext, HeadingBlock, SourceType, TrustLevel
from kebab_parse_md import MarkdownExtractor
from kebab_testing.documents import EPOCH, make_context
from kebab_testing.tables import walk

FULL = """---
title: 제목 하나
tags: [가, "#나", 다 라]
aliases: 별명, other name
lang: ko-KR
created: 2024-02-03
updated_at: 2024-02-03 10:00:00+09:00
source_type: paper
trust_level: secondary
id: 42
author:
  name: 홍길동
  born: 1999-01-02
---
본문
"""


def test_every_known_key_is_understood_and_others_are_kept(read):
    document = read(FULL)
    metadata = document.metadata
    assert (document.title, document.lang) == ("제목 하나", "ko")
    assert metadata.tags == ("가", "나", "다 라")
    assert metadata.aliases == ("별명", "other name")
    assert metadata.created_at == datetime(2024, 2, 3, tzinfo=UTC)
    assert metadata.updated_at == datetime(2024, 2, 3, 1, tzinfo=UTC)
    assert (metadata.source_type, metadata.trust_level) == (SourceType.PAPER, TrustLevel.SECONDARY)
    assert metadata.user_id_alias == "42"
    assert metadata.user == {"author": {"name": "홍길동", "born": "1999-01-02"}}
    assert document.provenance.warnings == ()


def test_without_front_matter_the_file_speaks(read):
    document = read("본문\n")
    assert document.metadata.created_at == document.metadata.updated_at == EPOCH
    assert document.metadata.source_type is SourceType.MARKDOWN
    assert document.metadata.trust_level is TrustLevel.PRIMARY
    assert document.lang == "ko"


def test_toml_front_matter_is_read_with_its_dates_as_text(read):
    document = read('+++\ntitle = "T"\ntags = ["a"]\ndate = 2024-01-02\nwhen = 10:00:00\n+++\ntext\n')
    assert document.title == "T"
    assert document.metadata.created_at == datetime(2024, 1, 2, tzinfo=UTC)
    assert document.metadata.user == {"when": "10:00:00"}
    assert [block.source_span.start for block in document.blocks] == [3, 7]


@walk(
    "text",
    [
        "\ufeff---\ntitle: x\n---\nbody\n",
        "---  \r\ntitle: x\r\n---\t\r\nbody\r\n",
        "---\rtitle: x\r---\rbody\r",
        "---\ntitle: x\n...\nbody\n",
        "---\nTITLE: x\n---\nbody",
    ],
)
def test_front_matter_is_recognised_in_all_its_spellings(read, text):
    document = read(text)
    assert document.title == "x"
    assert [block.source_span.start for block in document.blocks] == [4]


@walk(
    ("line", "expected"),
    [
        ("title: No", "No"),
        ("title: 12:30", "12:30"),
        ("title: 2024-01-02", "2024-01-02"),
        ("title: 007", "007"),
        ("title: 3.10", "3.1"),
        ("title: '  많은   빈칸 '", "많은 빈칸"),
    ],
)
def test_title_stays_as_written(read, line, expected):
    assert read(f"---\n{line}\n---\nbody\n").title == expected


@walk(
    ("value", "tags"),
    [
        ("a, b c", ("a", "b", "c")),
        ('"#a #b"', ("a", "b")),
        ("[1, 한글, a]", ("1", "한글", "a")),
        ("\n  - x\n  - x\n  - y", ("x", "y")),
        ("", ()),
        ("[]", ()),
    ],
)
def test_tags_come_as_list_or_text(read, value, tags):
    document = read(f"---\ntags: {value}\n---\nbody\n")
    assert document.metadata.tags == tags
    assert document.provenance.warnings == ()


@walk(
    ("line", "key", "value"),
    [
        ("title: [a]", "title", ["a"]),
        ("tags: {a: 1}", "tags", {"a": 1}),
        ("lang: 한국어", "lang", "한국어"),
        ("created: 지난주", "created", "지난주"),
        ("date: 2024-13-45", "date", "2024-13-45"),
        ("updated: 0001-01-01T00:00:00+23:00", "updated", "0001-01-01T00:00:00+23:00"),
        ("source_type: code", "source_type", "code"),
        ("trust_level: 5", "trust_level", 5),
        ("id: true", "id", True),
    ],
)
def test_bad_value_is_a_warning_a_default_and_kept(read, line, key, value):
    document = read(f"---\n{line}\n---\nbody\n")
    assert len(document.provenance.warnings) == 1
    assert f"`{key}`" in document.provenance.warnings[0]
    assert document.metadata.user == {key: value}
    assert document.title == "sample"
    assert document.metadata.created_at == EPOCH


@walk(
    ("date", "expected"),
    [
        ("2024-01-02T03:04:05Z", datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2024-01-02 03:04", datetime(2024, 1, 2, 3, 4, tzinfo=UTC)),
        ("2024/1/2", datetime(2024, 1, 2, tzinfo=UTC)),
        ("2024. 01. 02", None),
        ("2024.01.02", datetime(2024, 1, 2, tzinfo=UTC)),
        ("20240102", datetime(2024, 1, 2, tzinfo=UTC)),
    ],
)
def test_dates_are_taken_as_utc_unless_they_say_otherwise(read, date, expected):
    assert read(f"---\ncreated_at: {date}\n---\nx\n").metadata.created_at == (expected or EPOCH)


def test_first_of_two_keys_for_one_thing_wins_and_the_other_is_kept(read):
    metadata = read("---\ncreated: 2020-01-01\ncreated_at: 2021-01-01\n---\nx\n").metadata
    assert metadata.created_at == datetime(2021, 1, 1, tzinfo=UTC)
    assert metadata.user == {"created": "2020-01-01"}


@walk(
    ("dates", "created", "updated"),
    [
        ({"date": 2020}, 2020, 2020),
        ({"created": 2020}, 2020, 2020),
        ({"created": 2020, "date": 2021}, 2020, 2021),
        ({"created": 2020, "updated": 2022}, 2020, 2022),
        ({"date": 2020, "lastmod": 2022}, 2020, 2022),
        ({"date": 2020, "modified": 2022}, 2020, 2022),
        ({"modified": 2022}, EPOCH.year, 2022),
        ({}, EPOCH.year, EPOCH.year),
    ],
)
def test_a_document_has_the_dates_that_are_written_in_it(read, dates, created, updated):
    lines = "".join(f"{key}: {year}-01-01\n" for key, year in dates.items())
    metadata = read(f"---\n{lines}---\nx\n").metadata
    assert (metadata.created_at.year, metadata.updated_at.year) == (created, updated)
    assert metadata.user == {}


@walk(
    ("path", "first", "last"),
    [
        ("일기/2025-05-03.md", "2025-05-03", "2025-05-03"),
        ("2025년 5월 3일.md", "2025-05-03", "2025-05-03"),
        ("2025-05-03 회의.md", "2025-05-03", "2025-05-03"),
        ("회의록_20250503(초안).md", "2025-05-03", "2025-05-03"),
        ("회의록2025. 5. 3..md", "2025-05-03", "2025-05-03"),
        ("202505031230 an idea.md", "2025-05-03", "2025-05-03"),
        ("May 3rd, 2025.md", "2025-05-03", "2025-05-03"),
        ("Sync 3 Sept 2025.md", "2025-09-03", "2025-09-03"),
        ("journal/2025/05/03.md", "2025-05-03", "2025-05-03"),
        ("daily/2025/2025-05/2025-05-03.md", "2025-05-03", "2025-05-03"),
        ("2025-W18.md", "2025-04-28", "2025-05-04"),
        ("2025-05-01~2025-05-03 출장.md", "2025-05-01", "2025-05-03"),
        ("2025-05.md", None, None),
        ("2025-05-03 trip/notes.md", None, None),
        ("2025-13-45.md", None, None),
        ("v1.2024.1.3.md", None, None),
        ("kernel-2024.1.3.7.md", None, None),
        ("card 4929202505031234.md", None, None),
        ("marathon 12, 2019.md", None, None),
    ],
)
def test_a_note_without_a_date_in_it_has_that_of_its_name(read, path, first, last):
    metadata = read("본문\n", path=path).metadata
    expected = tuple(datetime.fromisoformat(f"{day}T00:00Z") if day else EPOCH for day in (first, last))
    assert (metadata.created_at, metadata.updated_at) == expected
    assert metadata.stated_on == (date.fromisoformat(last) if last else None)
    dated = read("---\nupdated: 2026-01-02\n---\n본문\n", path=path).metadata
    assert (dated.created_at, dated.updated_at) == (expected[0], datetime(2026, 1, 2, tzinfo=UTC))
    assert dated.stated_on == date(2026, 1, 2)


@walk(
    "block",
    [
        "---\ntitle: a: b: c\n---\n",
        "---\ntitle: [a\n---\n",
        '---\ntitle: "open\n---\n',
        "+++\ntitle = \n+++\n",
        "---\ntitle: *nowhere\n---\n",
        "---\na: " + "[" * 5000 + "\n---\n",
        "+++\na = " + "[" * 5000 + "]" * 5000 + "\n+++\n",
        "---\nt: !!timestamp 2024-99-99\n---\n",
        "---\na: !!python/object/apply:os.getcwd []\n---\n",
    ],
)
def test_malformed_front_matter_is_text_with_a_warning(read, block, text_of):
    document = read(block + "body\n")
    assert len(document.provenance.warnings) == 1
    assert document.metadata.user == {}
    assert not any(isinstance(each, HeadingBlock) for each in document.blocks)
    text = " ".join(text_of(each) for each in document.blocks)
    assert "".join("".join(block.split("\n")[1:-2]).split()) in "".join(text.split())


@walk(
    "text",
    [
        "---\n\n# Deploy quokka runbook\n\n---\n\nfooter\n",
        "---\n\nNotes: all of this is prose.\nMore prose: nothing else.\n\n---\n\nfooter\n",
        "---\n# 설명만 있다\n---\nfooter\n",
        "---\n- eins\n- zwei\n---\nfooter\n",
        "---\njust words\n---\nfooter\n",
        "---\ntitle: never closed\n\nfooter\n",
        "---\ntitle: a\n\tpages: 3\n---\nfooter\n",
        f"+++\npages = {'9' * 4301}\n+++\nfooter\n",
        f"+++\npages = 0x{'f' * 4301}\n+++\nfooter\n",
        "+++\n# only a remark\n+++\nfooter\n",
    ],
)
def test_what_is_not_a_mapping_is_text_with_a_warning(read, text, text_of):
    document = read(text)
    assert len(document.provenance.warnings) == 1
    assert "not front matter" in document.provenance.warnings[0]
    words = " ".join(text_of(block) for block in document.blocks).split()
    assert [word for word in text.split() if word.strip("-+#")] == [
        word for word in words if word.strip("-+#")
    ]


@walk(
    ("front", "told", "text"),
    [
        (
            "---\ntags: [a]\nlang: ko\ntags: [b]\n---",
            "`tags` stands twice",
            ["tags: [a]", "tags: [b]"],
        ),
        ("---\ntitle: a: b\ntags: [b]\n---", "line 2", ["a: b\ntags: [b]"]),
        ("---\ntags: [b]\nlang: ko\nbad: [x\n  y\n---", "line 4", ["tags: [b]", "bad: [x\n  y"]),
        ("---\nlang: ko\ntags:\n\t- b\nbad: *none\n---", "line 5", ["tags:\n\t- b\nbad: *none"]),
        ("---\na: &a [b]\nbad: {\ntags: *a\n---", "line 3", ["bad: {\ntags: *a"]),
        ('+++\ntags = ["a"]\ntags = ["b"]\n[x]\ny = 1\n+++', "twice", ['tags = ["a"]\ntags = ["b"]']),
        ('+++\ntags = ["b"]\nbad = \n+++', "line 3", ['tags = ["b"]\nbad =']),
    ],
)
def test_a_key_that_cannot_be_read_costs_itself_and_is_told_and_text(read, front, told, text):
    document = read(f"{front}\nbody\n")
    assert document.metadata.tags == ("b",)
    (warning,) = document.provenance.warnings
    assert told in warning
    assert [block.text for block in document.blocks] == [*text, "body"]
    assert document.blocks[-1].source_span.start == front.count("\n") + 2


@walk(
    ("front", "kept"),
    [
        (
            "# Deploy runbook\nstep: one\n# Another heading",
            [(2, 2, "# Deploy runbook"), (4, 4, "# Another heading")],
        ),
        (
            "title: t\n회의: 오소리 계획을 시작한다\ntags: [a]",
            [(3, 4, "회의: 오소리 계획을 시작한다\ntags: [a]")],
        ),
        (
            "summary: >\n  first words\n\n  and others\nlayout: wiki\nlist:\n- two words\n- one",
            [(3, 5, "  first words\n\n  and others"), (7, 9, "list:\n- two words\n- one")],
        ),
        ("title: a title\nstatus: draft\nyear: 2021", []),
        (
            "image: /Pictures/a.PNG\nversion: v1.2\nlayout: Post\nid_of: 5F3A9B0C1D2E4F60718293A4B5C6D7E8\nat: 2024-05-01T19:30:00Z",
            [],
        ),
        (
            "작성자: 김철수\ndraft: true\nproject: Atlas\npeople:\n  - 이영희\ncustom: {deep: {at: 서울숲}}",
            [
                (2, 2, "작성자: 김철수"),
                (4, 7, "project: Atlas\npeople:\n  - 이영희\ncustom: {deep: {at: 서울숲}}"),
            ],
        ),
        ("Description : 'it says one thing'\ntag : one", [(2, 3, "it says one thing\ntag : one")]),
        ("keywords: [one]\nsummary:\ntags: []\ndate: 2021-01-01", [(2, 2, "keywords: [one]")]),
        ("{note: two words, other: x}", [(2, 2, "{note: two words, other: x}")]),
    ],
)
def test_words_of_front_matter_that_no_metadata_hold_are_text(
    read, front: str, kept: list[tuple[int, int, str]]
) -> None:
    document = read(f"---\n{front}\n---\n# body\n")
    found = [(b.source_span.start, b.source_span.end, b.text) for b in document.blocks]
    assert found[:-1] == kept
    assert document.provenance.warnings == ()


def test_prose_in_a_table_of_toml_front_matter_is_text(read) -> None:
    document = read('+++\ntitle = "t"\n[extra]\nnote = "two words"\n+++\n# body\n')
    assert [b.text for b in document.blocks] == ['[extra]\nnote = "two words"', "body"]


@walk(
    ("front", "kept"),
    [
        (
            "layout  : category\ntitle   : 회고 모음\nsummary :\ndate    : 2018-01-13 06:44:16 +0900\n"
            "updated : 2021-10-11 21:13:48 +0900\ntag     : review\n"
            "resource: A0/615E02-B32B-407F-8F0E-C9652270DF15\ntoc     : true\nparent  : [[index]]",
            [(3, 3, "회고 모음"), (7, 7, "tag     : review")],
        ),
        (
            "title: 'Walden'\naliases: [월든]\nowner: Mina\nurl: https://example.org/9f86d081884c7d65\npages: 320\n"
            "date: 2024-05-01\nwhen: 2024-05-01T19:30:00\ncard: 1234-5678-9012-3456\ndraft: false",
            [
                (
                    2,
                    9,
                    "Walden\naliases: [월든]\nowner: Mina\nurl: https://example.org/9f86d081884c7d65\npages: 320\n"
                    "date: 2024-05-01\nwhen: 2024-05-01T19:30:00\ncard: 1234-5678-9012-3456",
                )
            ],
        ),
        ("layout: wiki\ntoc: true", [(2, 3, "layout: wiki\ntoc: true")]),
    ],
)
def test_a_document_without_a_body_says_what_its_front_matter_states(
    read, front: str, kept: list[tuple[int, int, str]]
) -> None:
    document = read(f"---\n{front}\n---\n* TOC\n{{:toc}}\n")
    assert [(b.source_span.start, b.source_span.end, b.text) for b in document.blocks] == kept


def test_a_heading_between_rules_at_the_start_is_the_title(read):
    document = read("---\n\n# Deploy quokka runbook\n\n---\n\nfooter\n")
    assert document.title == "Deploy quokka runbook"


def test_empty_front_matter_is_no_warning(read):
    assert read("---\n---\nbody\n").provenance.warnings == ()


def test_aliases_that_multiply_are_refused(read):
    names = "abcdefghij"
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    for before, name in pairwise(names):
        bomb += f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    document = read(f"---\n{bomb}---\nbody\n")
    assert len(document.provenance.warnings) == 1
    assert document.metadata.user == {}


@walk(
    "text",
    [
        "---\n그냥 글이 두 줄 사이에 있습니다.\n---\n뒤\n",
        "---\n\n- 가\n- 나\n\n---\n뒤\n",
        "---\n뒤\n",
        "----\na: b\n----\n",
    ],
)
def test_text_between_rules_is_text(read, text, text_of):
    words = " ".join(text_of(block) for block in read(text).blocks)
    assert all(word in words for word in text.split() if word[0] != "-")


def test_numbers_json_cannot_carry_exactly_become_text(read):
    user = read("---\na: 12345678901234567890\nb: 1.5\nc: 7\nd: 1e999\n---\nx\n").metadata.user
    assert user == {"a": "12345678901234567890", "b": 1.5, "c": 7, "d": "1e999"}


@walk(
    ("front", "trust_level", "source_type"),
    [
        ("trust_level: generated\nsource_type: inbox", TrustLevel.GENERATED, SourceType.INBOX),
        ("title: x", TrustLevel.SECONDARY, SourceType.REFERENCE),
    ],
)
def test_front_matter_wins_over_the_source_and_the_source_over_the_default(front, trust_level, source_type):
    content = f"---\n{front}\n---\nx".encode()
    defaults = {"trust_level": TrustLevel.SECONDARY, "source_type": SourceType.REFERENCE}
    context = ExtractContext.model_validate({**dict(make_context(content)), **defaults})
    metadata = MarkdownExtractor().extract(context, content).metadata
    assert (metadata.trust_level, metadata.source_type) == (trust_level, source_type)


def test_language_is_that_of_the_prose_where_front_matter_names_none():
    english = "how the index is built and when it has to be built again"
    content = f"---\ntitle: {english}\n---\n# 머리\n\n글\n\n```\n{english}\n```\n\n- 항목\n".encode()
    context = make_context(content)
    assert MarkdownExtractor().extract(context, content).lang == "ko"
    assert MarkdownExtractor().extract(context, content.replace(b"title", b"lang: en\ntitle")).lang == "en"


@walk("text", ["\n\n", "---\n---\n", "---\n\n---", "<!-- nothing -->\n"])
def test_document_without_text_has_no_blocks_and_a_warning(read, text):
    document = read(text)
    assert document.blocks == ()
    assert document.provenance.warnings == ("the document has no text",)
    assert document.lang == "und"

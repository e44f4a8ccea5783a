"""The natural language of a file of source code."""

from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument, CodeMedia
from kebab_parse_code import TextCodeExtractor
from kebab_testing.documents import make_context
from kebab_testing.tables import walk

LICENCE = "// Copyright 2026 The Authors.\n// SPDX-License-Identifier: MIT\n"


@pytest.mark.parametrize(
    ("lang", "source", "expected"),
    [
        ("python", '"""설정을 읽는다."""\n\ndef f():\n    pass\n', "ko"),
        ("python", 'def f():\n    """설정을 읽는다."""\n', "ko"),
        ("python", 'class A:\n    x = "한글 문자열"\n', "und"),
        ("python", "# Reads the file.\ndef f():\n    pass\n", "en"),
        ("go", "package p\n\n// 합계를 낸다.\nfunc Sum() {}\n", "ko"),
        ("rust", "/// 합계를 낸다.\nfn sum() {}\n", "ko"),
        ("java", "/**\n * 합계를 낸다.\n */\nclass A {}\n", "ko"),
        ("kotlin", "fun f() {\n    /* 합계 */\n}\n", "ko"),
        ("kotlin", "fun f() {\n}\n", "und"),
    ],
)
def test_the_language_is_that_of_comments_and_doc_strings(
    read: Callable[..., CanonicalDocument], lang: str, source: str, expected: str
) -> None:
    assert read(lang, source).lang == expected


def test_a_licence_at_the_top_does_not_count_and_later_comments_do(
    read: Callable[..., CanonicalDocument],
) -> None:
    assert read("go", f"{LICENCE}\npackage p\n").lang == "und"
    assert read("go", f"{LICENCE}\npackage p\n\n// Sums the parts of it.\nfunc Sum() {{}}\n").lang == "en"
    assert read("go", f"// Sums the parts of it.\npackage p\n\n{LICENCE}var x int\n").lang == "en"


def test_only_the_beginning_of_long_comments_is_looked_at(read: Callable[..., CanonicalDocument]) -> None:
    source = "package p\n" + "// English words here.\n" * 5000 + "\n// 한글\nvar x int\n"
    assert read("go", source).lang == "en"


@walk(
    ("source", "expected"),
    [
        ("#!/bin/sh\n\n# 지난 기록을 지운다.\nrm -f log\n", "ko"),
        ("-- 사용자\nSELECT 1;\n", "ko"),
        ("  # Keeps ten of them.\nkeep: 10\n", "en"),
        ("#!/bin/sh\necho '끝'\n", "und"),
        ("# Copyright 2026 The Authors\n# Licensed under MIT\n\nkeep: 10\n", "und"),
    ],
)
def test_the_language_of_a_file_that_is_not_parsed_is_that_of_lines_that_begin_as_comments(
    source: str, expected: str
) -> None:
    media = CodeMedia(lang="shell")
    context = make_context(source.encode(), path="a.sh", media_type=media)
    assert TextCodeExtractor().extract(context, source.encode()).lang == expected

"""A value that nothing has is answered with the nearest that exists, wherever it is given."""

from __future__ import annotations

import pytest

MISTAKES = [
    (("search", "색인", "--tag", "검샥"), "did you mean '검색'?"),
    (("search", "색인", "--source", "defalt"), "did you mean 'default'?"),
    (("search", "색인", "--lang", "koreann"), "did you mean 'korean'?"),
    (("search", "색인", "--path-glob", "default:한국/**"), "did you mean 'default:한국어/**'?"),
    (("search", "색인", "--mode", "lexcal"), "did you mean 'lexical'?"),
    (("search", "색인", "--media", "markdwn"), "did you mean 'markdown'?"),
    (("search", "--exact", "색인", "--tag", "검샥"), "did you mean '검색'?"),
    (("ask", "색인은?", "--tag", "검샥"), "did you mean '검색'?"),
    (("list", "docs", "--tag", "검샥"), "did you mean '검색'?"),
    (("list", "recent", "--lang", "koreann"), "did you mean 'korean'?"),
    (("list", "tags", "--source", "defalt"), "did you mean 'default'?"),
    (("config", "get", "search.defalt_k"), "did you mean 'search.default_k'?"),
    (("config", "set", "search.defalt_k", "3"), "did you mean `search.default_k`?"),
    (("config", "set", "rag", "true"), "it is a section, and one key of it can be set: rag."),
    (("config", "set", "models.embedding.provider", "nonee"), 'set models.embedding.provider = "none"'),
    (("search", "색인", "--since", "yesteday"), "did you mean 'yesterday'?"),
    (("list", "recent", "--since", "어재"), "did you mean '어제'?"),
    (("search", "색인", "--lang", "klingon"), "--lang: existing values: en, ko"),
    (("list", "docs", "--lang", "klingon"), "--lang: existing values: en, ko"),
    (("search", "색인", "--tag", "zebra"), "--tag: existing values: "),
    (("search", "zzqq", "--tag", "zebra"), "the filters leave no document"),
    (("ask", "색인은?", "--tag", "zebra"), "--tag: existing values: "),
    (("search", "색인", "--path-glob", "nosuch:**"), "--source: existing values: default"),
    (("search", "색인", "--path-glob", "defalt:**"), "did you mean 'default:**'?"),
    (("completion", "bsh"), "did you mean 'bash'?"),
    (("why", "deploymnt.md"), "did you mean 'english/deployment.md'?"),
    (("why", "e.md"), "hint: kebab list docs"),
    (("serach", "x"), "Did you mean 'search'?"),
    (("list", "dosc"), "Did you mean 'docs'?"),
]


@pytest.mark.parametrize(("arguments", "said"), MISTAKES, ids=[" ".join(each) for each, _ in MISTAKES])
def test_a_wrong_value_is_answered_with_the_nearest(arguments: tuple[str, ...], said: str, quick) -> None:  # type: ignore[no-untyped-def]
    done = quick(*arguments)
    assert said in done.stdout + done.stderr


def test_values_that_are_there_are_not_doubted(quick) -> None:  # type: ignore[no-untyped-def]
    for arguments in (("list", "docs", "--tag", "검색", "--lang", "en"), ("ask", "zzqq", "--tag", "검색")):
        done = quick(*arguments)
        assert "did you mean" not in done.stdout + done.stderr


def test_a_tag_that_has_nested_ones_is_not_doubted(quick) -> None:  # type: ignore[no-untyped-def]
    quick.write("a.md", "---\ntags: [프로젝트/알파]\n---\n수달이다.\n")
    quick("ingest")
    done = quick("search", "수달", "--tag", "프로젝트", "--lang", "en")
    assert "did you mean" not in done.stdout + done.stderr


def test_one_setting_is_one_setting_for_programs(quick) -> None:  # type: ignore[no-untyped-def]
    keys = quick("config", "get", "search.default_k", "--json").last["keys"]
    assert [each["key"] for each in keys] == ["search.default_k"]


def test_a_link_template_that_cannot_be_filled_is_refused_when_it_is_set(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("config", "set", "search.link_template", "foo {nope}")
    assert done.code == 2
    assert "{path}, {line}" in done.stderr
    assert "nope" not in quick.config.read_text("utf-8")


@pytest.mark.parametrize("value", ['["a/**", "b"]', "a/**, b"])
def test_a_list_is_set_as_the_file_has_it_or_with_commas(value: str, quick) -> None:  # type: ignore[no-untyped-def]
    assert quick("config", "set", "workspace.exclude", value).code == 0
    shown = quick("config", "get", "workspace.exclude").stdout
    assert '"a/**", "b"' in shown

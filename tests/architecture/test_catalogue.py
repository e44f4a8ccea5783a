"""The Korean catalogue has a translation of everything that the command line prints in words, and nothing else."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from babel.messages.catalog import Catalog
from kebab_cli.main import cli
from kebab_testing.tables import walk

from tools.catalogue import (
    MO_FILE,
    PO_FILE,
    Entry,
    compile_catalogue,
    find_faults,
    format_catalogue,
    list_entries,
    order_catalogue,
    read_catalogue,
)

SOURCES = Path(__file__).parents[2] / "apps" / "kebab-cli" / "src"
PRINTING = {
    "BadParameter", "ClickException", "UsageError", "_head", "_remark", "_say", "error", "fail", "line", "remark", "show_hint",
    "show_note", "show_warning",
}  # fmt: skip
"""Functions whose arguments are printed."""
SAME_EVERYWHERE = {
    "anything", "cosine", "dimensions", "echo", "fastembed", "kebab", "lexical", "model", "models", "provider", "query", "vector",
}  # fmt: skip
"""Programs, names of settings and of measures, and what the demo says in two languages."""
WORD = re.compile(r"(?<![\w$./@-])[a-z]{3,}(?:-[a-z]+)*(?![\w/@])")


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    return list_entries()


def entry(text: str, plural: str | None = None, *, kind: str = "message") -> Entry:
    return Entry(text, plural, kind, "x.py")  # type: ignore[arg-type]  # one of the kinds


def catalogue_of(
    text: str | tuple[str, str], translation: str | tuple[str, ...], *, fuzzy: bool = False
) -> Catalog:
    catalogue = Catalog(locale="ko")
    catalogue.add(text, translation, flags=["fuzzy"] if fuzzy else [])
    return catalogue


def test_every_text_has_a_translation_that_fits_and_every_translation_a_text(entries: list[Entry]) -> None:
    assert find_faults(read_catalogue(), entries) == []


def test_every_kind_of_text_is_there(entries: list[Entry]) -> None:
    kinds = {each.kind: each.text for each in entries}
    assert set(kinds) == {"message", "remedy", "help", "click", "system"}
    assert len(entries) > 1000


def test_the_catalogue_is_in_order(entries: list[Entry]) -> None:
    """`python -m tools.catalogue --write` does it."""
    assert PO_FILE.read_text(encoding="utf-8") == format_catalogue(order_catalogue(read_catalogue(), entries))


def test_the_compiled_catalogue_is_that_of_the_text() -> None:
    """`python -m tools.catalogue --write` does it."""
    assert MO_FILE.read_bytes() == compile_catalogue(read_catalogue())


def test_no_two_texts_differ_in_having_a_plural(entries: list[Entry]) -> None:
    plurals: dict[str, set[str | None]] = {}
    for each in entries:
        plurals.setdefault(each.text, set()).add(each.plural)
    assert [text for text, found in plurals.items() if len(found) > 1] == []


@walk(
    ("texts", "catalogue", "fault"),
    [
        ([entry("no {a}")], Catalog(locale="ko"), "missing"),
        ([entry("no {a}")], catalogue_of("no {a}", ""), "missing"),
        ([entry("no {a}")], catalogue_of("no {a}", "{a} 없음", fuzzy=True), "fuzzy"),
        ([entry("no {a}")], catalogue_of("no {a}", "없음"), "differs"),
        ([entry("no {a}")], catalogue_of("no {a}", "{b} 없음"), "differs"),
        ([entry("no {a!r}")], catalogue_of("no {a!r}", "{a} 없음"), "differs"),
        ([entry("{a:.1f} s")], catalogue_of("{a:.1f} s", "{a}초"), "differs"),
        ([entry("no {a}")], catalogue_of("no {a}", "{a 없음"), "broken"),
        (
            [entry("{count} file", "{count} files")],
            catalogue_of("{count} file", "파일 {count}개"),
            "no plural",
        ),
        (
            [entry("give {a}[ or {b}]", kind="remedy")],
            catalogue_of("give {a}[ or {b}]", "{a}이나 {b}을 주세요"),
            "differs",
        ),
        ([entry("Also --all.", kind="help")], catalogue_of("Also --all.", "모두."), "differs"),
        ([entry("Read FILE.", kind="help")], catalogue_of("Read FILE.", "파일 읽기."), "differs"),
        ([], catalogue_of("no {a}", "{a} 없음"), "unused"),
    ],
)
def test_what_is_wrong_is_noticed(texts: list[Entry], catalogue: Catalog, fault: str) -> None:
    faults = find_faults(catalogue, texts)
    assert [each.partition(" in fields")[0].partition(":")[0] for each in faults] == [fault]


@walk(
    ("texts", "catalogue"),
    [
        ([entry("no {a} in {b}")], catalogue_of("no {a} in {b}", "{b}에 {a} 없음")),
        (
            [entry("it waits; {a}", "{count} wait; {a}")],
            catalogue_of(("it waits; {a}", "{count} wait; {a}"), ("{count}개 대기. {a}",)),
        ),
        ([entry("Stop FILE.", kind="help")], catalogue_of("Stop FILE.", "FILE을 2초 뒤에 멈춥니다.")),
        ([entry("{a!l}[|b]", kind="remedy")], catalogue_of("{a!l}[|b]", "[|가]{a!l}")),
    ],
)
def test_what_fits_is_no_fault(texts: list[Entry], catalogue: Catalog) -> None:
    assert find_faults(catalogue, texts) == []


def test_korean_sentences_keep_to_one_style() -> None:
    """Sentences end formally (…니다, …세요), not familiarly (…요, …다)."""
    endings = tuple(
        f"{ending}"
        for ending in ("해요", "어요", "아요", "돼요", "네요", "이다", "한다", "된다", "있다", "없다")
    )
    familiar = []
    for each in read_catalogue():
        text = each.string if isinstance(each.string, str) else (each.string or ("",))[0]
        sentences = text.rstrip(string.punctuation).split(". ")
        familiar += [sentence for sentence in sentences if sentence.endswith(endings)]
    assert familiar == []


def test_the_command_line_prints_no_words_past_the_catalogue() -> None:
    """Printed literals have no words but commands and names; sentences stand in `tr("…")` or `Message("…")`."""
    allowed = SAME_EVERYWHERE | set(names_of_commands(cli))
    past = []
    for path in sorted(SOURCES.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call):
                words = {word for text in printed_literals(call) for word in WORD.findall(text)}
                past += [f"{path.name}:{call.lineno}: {word}" for word in sorted(words - allowed)]
    assert past == []


@walk(
    ("code", "words"),
    [
        ('console.line("nothing to do")', ["nothing", "to", "do"]),
        ("console.remark(f\"{path} is {'new' if a else 'old'}\")", ["new", "old"]),
        ('console.line(console.style("old", fg="green"))', ["old"]),
        ('InvalidInputError("{a}", hint="choose another")', ["choose", "another"]),
        ('console.line(tr("nothing to do"))', []),
        ('console.line("kebab list docs --limit")', ["kebab", "list", "docs"]),
        ('_LOG.error("internal error")', []),
    ],
)
def test_printed_words_are_found(code: str, words: list[str]) -> None:
    (call,) = [node.value for node in ast.parse(code).body if isinstance(node, ast.Expr)]
    assert isinstance(call, ast.Call)
    found = [word for text in printed_literals(call) for word in WORD.findall(text)]
    assert found == [word for word in words if len(word) > 2]


def names_of_commands(group: click.Command) -> Iterator[str]:
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            yield name
            if command := group.get_command(context, name):
                yield from names_of_commands(command)


def printed_literals(call: ast.Call) -> Iterator[str]:
    """The literals among the arguments of a call that prints, and in its hint."""
    for keyword in call.keywords:
        if keyword.arg == "hint":
            yield from literals(keyword.value)
    of, name = ast.unparse(call.func).rpartition(".")[::2]
    if name in PRINTING and of != "_LOG":
        for argument in call.args:
            yield from literals(argument)


def literals(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    elif isinstance(node, ast.Call):
        # what other functions make is words that they looked up, or data
        if ast.unparse(node.func).endswith(("style", "pad")):
            yield from literals(node.args[0])
    else:
        for child in ast.iter_child_nodes(node):
            yield from literals(child)

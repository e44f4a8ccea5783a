"""A list becomes another word by word, in every format, and comments beside its words stay."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st
from kebab_cli.list_edits import plan_edits
from kebab_cli.member_formats import load_format

WORDS = st.sampled_from(["mcp", "--readonly", "--config", "/a, b", "# c", "케밥", '"', "// d", "- e"])
LISTS = st.lists(WORDS, min_size=1, max_size=5)
FORMATS = ["JSON", "TOML", "YAML"]


def _write(name: str, words: list[str], layout: str) -> str:
    """Return a file with a list, written in one of several ways."""
    spelled = [json.dumps(word, ensure_ascii=False) for word in words]
    mark = "//" if name == "JSON" else "#"
    if layout == "lines":
        comma = "," if name != "JSON" else ""
        joined = "\n".join(
            f"  {word}{',' if at < len(words) - 1 else comma} {mark} word {at}"
            for at, word in enumerate(spelled)
        )
        array = f"[\n{joined}\n]"
    elif layout == "block":
        return "a:\n  args:\n" + "".join(f"  - {word} # word\n" for word in spelled) + "  z: 1\n"
    else:
        array = f"[{', '.join(spelled)}]"
    if name == "JSON":
        return f'{{"a": {{"args": {array}, "z": 1}}}}'
    return f"[a]\nargs = {array}\nz = 1\n" if name == "TOML" else f"a: {{args: {array}, z: 1}}\n"


@pytest.mark.parametrize("name", FORMATS)
@given(before=LISTS, after=LISTS, layout=st.sampled_from(["line", "lines", "block"]))
def test_a_list_becomes_another(name: str, before: list[str], after: list[str], layout: str) -> None:
    if layout == "block" and name != "YAML":
        layout = "line"
    form, text = load_format(name), _write(name, before, layout)  # type: ignore[arg-type]
    assert form.read(text) == {"a": {"args": before, "z": 1}}
    for edit in plan_edits(before, [*before[:1], *after]):
        text = form.edit_list(text, ("a", "args"), edit)
    assert form.read(text) == {"a": {"args": [*before[:1], *after], "z": 1}}


@pytest.mark.parametrize("name", FORMATS)
def test_a_list_that_is_not_there_is_refused(name: str) -> None:
    form = load_format(name)  # type: ignore[arg-type]
    text = {"JSON": '{"a": {"args": 1}}', "TOML": "[a]\nargs = 1\n", "YAML": "a:\n  args: 1\n"}[name]
    for path in (("a", "args"), ("b", "args")):
        with pytest.raises(ValueError, match=r"args|'b'"):
            form.edit_list(text, path, next(plan_edits(["x"], ["y"])))

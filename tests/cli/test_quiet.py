"""With `--quiet`, commands that change something print nothing where all went well."""

from __future__ import annotations

import pytest

CHANGES = {
    "ingest-file": ["ingest-file", "{folder}/letter.md"],
    "ingest-stdin": ["ingest-stdin", "--title", "회의록"],
    "forget": ["forget", "kebab-notes:노트.md", "--yes"],
    "undo": ["forget", "--undo"],
    "init": ["init", "--root", "{folder}/other", "--config", "{folder}/other.toml", "--yes"],
    "mcp install": ["mcp", "install", "cursor", "--file", "{folder}/mcp.json"],
    "mcp uninstall": ["mcp", "uninstall", "cursor", "--file", "{folder}/mcp.json"],
    "watch": ["watch", "--install"],
    "add-source": ["config", "add-source", "{folder}/papers"],
    "set": ["config", "set", "search.default_k", "3"],
    "reset": ["reset", "--orphans-only", "--yes"],
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_that_went_well_is_not_told(name: str, quick) -> None:  # type: ignore[no-untyped-def]
    (quick.folder / "letter.md").write_text("# Letter\n", encoding="utf-8")
    (quick.folder / "papers").mkdir()
    quick("ingest-stdin", "--title", "노트", stdin="수달")
    if name == "undo":
        quick("forget", "kebab-notes:노트.md", "--yes")
    if name == "mcp uninstall":
        quick("mcp", "install", "cursor", "--file", str(quick.folder / "mcp.json"))
    arguments = [each.format(folder=quick.folder) for each in CHANGES[name]]
    done = quick(*arguments, "--quiet", stdin="글이다.")
    assert (done.code, done.stdout, done.stderr) == (0, "", "")


def test_what_went_wrong_with_a_named_file_is_told(quick) -> None:  # type: ignore[no-untyped-def]
    quick.write(".kebabignore", "secret/\n")
    done = quick("ingest-file", str(quick.write("secret/a.md", "# a")), "--quiet")
    assert (done.code, "skipped" in done.stdout) == (2, True), done.stdout
    odd = ("가나다라 마바사 " * 20).encode("cp949")
    (quick.folder / "odd.md").write_bytes(odd)
    assert "cp949" in quick("ingest-file", str(quick.folder / "odd.md"), "--quiet").stdout

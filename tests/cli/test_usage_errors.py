"""Mistakes in a command line: one house form for people, one object for programs, each leading to the right help."""

from __future__ import annotations

import pytest

NOWHERE = "0" * 32
MISTAKES: list[tuple[list[str], str, str]] = [
    (["serach", "x"], "Did you mean 'search'?", "kebab --help"),
    (["list", "dosc"], "Did you mean 'docs'?", "kebab list --help"),
    (["search", "x", "--languag", "ko"], "Did you mean", "kebab search --help"),
    (["search", "x", "--k", "0"], "'--k'", "kebab search --help"),
    (["search", "x", "-k", "many"], "'many' is not a whole number", "kebab search --help"),
    (["ask", "x", "--temperature", "warm"], "'warm' is not a number", "kebab ask --help"),
    (["completion"], "Choose from: bash, zsh, fish", "kebab completion --help"),
    (["search", "x", "--k"], "'--k'", "kebab search --help"),
    (["search", "x", "--json=yes"], "'--json'", "kebab search --help"),
    (["search"], "QUERY", "kebab search --help"),
    (["ask"], "QUESTION", "kebab ask --help"),
    (["find"], "NAME", "kebab find --help"),
    (["search", "x", "-k", "0"], "'-k'", "kebab search --help"),
    (["search", "x", "-z"], "'-z'", "kebab search --help; words that begin with - go after --"),
    (["search", "x", "--ingested-after", "junk"], "'--ingested-after'", "kebab search --help"),
    (["fetch", "span", NOWHERE, "0", "3"], "'LINE_START'", "kebab fetch span --help"),
    (["list", "docs", "--tag"], "'--tag'", "kebab list docs --help"),
    (["--jsn", "doctor"], "Did you mean '--json'?", "kebab --help"),
]


def named(mistake: tuple[list[str], str, str]) -> str:
    return " ".join(mistake[0])


@pytest.mark.parametrize("mistake", MISTAKES, ids=named)
def test_a_mistake_is_told_in_two_lines(mistake: tuple[list[str], str, str], quick) -> None:  # type: ignore[no-untyped-def]
    arguments, said, help_of = mistake
    done = quick.kebab(*arguments)
    error, hint = done.stderr.splitlines()
    assert (done.code, done.stdout, hint) == (2, "", f"hint: {help_of}")
    assert error.startswith("error: ")
    assert said in error


@pytest.mark.parametrize("mistake", MISTAKES, ids=named)
def test_a_mistake_is_one_object_for_programs(mistake: tuple[list[str], str, str], quick) -> None:  # type: ignore[no-untyped-def]
    arguments, said, help_of = mistake
    done = quick.kebab("--json", *arguments)
    assert (done.code, done.stdout) == (2, "")
    assert (done.error["code"], done.error["hint"]) == ("invalid_input", help_of)
    assert said in str(done.error["message"])


def test_a_folder_that_does_not_exist_is_not_offered_as_a_source(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("ingest", "/no/such folder")
    assert done.code == 2
    assert (
        done.stderr == "error: there is no file or folder '/no/such folder'\nhint: check '/no/such folder'\n"
    )


@pytest.mark.parametrize(
    "command", [["fetch", "chunk"], ["fetch", "doc"], ["inspect", "doc"], ["inspect", "chunk"]]
)
def test_what_is_no_address_is_told_in_words(command: list[str], quick) -> None:  # type: ignore[no-untyped-def]
    done = quick(*command, "zz")
    assert (done.code, "no document has the address 'zz'" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "command", [["search", "x"], ["list", "docs"], ["config", "show"], ["config", "migrate"]]
)
def test_a_folder_instead_of_a_configuration_leads_to_a_file_in_it(command: list[str], quick) -> None:  # type: ignore[no-untyped-def]
    done = quick.kebab(*command, "--config", str(quick.folder))
    assert (done.code, done.stdout) == (2, "")
    assert f"'{quick.folder}' is a folder" in done.stderr
    assert done.stderr.splitlines()[-1] == f"hint: name the file in it, such as {quick.folder}/config.toml"


@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect", "doc"),
        ("fetch", "chunk"),
        ("why",),
        ("ingest-file",),
        ("ingest",),
        ("search", "q", "--trust-min"),
        ("search", "q", "--ingested-after"),
        (),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("form", ["--json", "--verbose"])
def test_what_was_given_is_not_read_back_whole(quick, arguments: tuple[str, ...], form: str) -> None:  # type: ignore[no-untyped-def]
    done = quick(*arguments, "x" * 100_000, form)
    assert done.code == 2
    assert len(done.stdout) + len(done.stderr) < 10_000


def test_words_need_no_quotes_and_flags_may_stand_anywhere(quick) -> None:  # type: ignore[no-untyped-def]
    quoted = quick("search", "rolling back takes", "--k", "1", "--json").last
    for form in (
        ("search", "rolling", "back", "takes", "-k", "1", "--json"),
        ("search", "-k", "1", "rolling", "--json", "back takes"),
    ):
        assert quick(*form).last["hits"] == quoted["hits"]
    answer = quick("ask", "how", "long", "does", "a", "rollback", "take?", "-k", "3", "--json").last
    assert answer["answer"] == quick("ask", "how long does a rollback take?", "--json").last["answer"]
    assert quick("find", "deploy", "-k", "1").code == 0


def test_words_that_begin_with_a_dash_stand_after_two(kb, inside) -> None:  # type: ignore[no-untyped-def]
    kb.write("flags.md", "# Flags\n\nUse --dry-run first.\n")
    kb = inside(kb)
    kb("ingest", "--quiet")
    found = kb.kebab("search", "--config", str(kb.config), "--", "--dry-run")
    assert (found.code, "flags.md" in found.stdout) == (0, True)
    asked = kb.kebab("ask", "--config", str(kb.config), "--", "--dry-run", "first")
    assert "--dry-run" in asked.stdout


@pytest.mark.parametrize("name", ["-draft.md", "--help.md", "--json", "chunk"])
def test_after_two_dashes_everything_is_an_argument(name: str, quick) -> None:  # type: ignore[no-untyped-def]
    quick.write(name + ".md", "# Draft\n")
    quick("ingest")
    fetch = ("--config", str(quick.config), "fetch")
    for flags in ([], ["--section"]):
        assert quick.kebab(*fetch, *flags, "--", f"{name}.md#L1").stdout == "# Draft\n"
    missing = quick.kebab(*fetch, "--", name).stderr.splitlines()[0]
    assert missing == f"error: no document has the address {name!r}"


def test_init_makes_nothing_before_a_folder_that_is_not_there_is_settled(
    tmp_path, kb, inside, terminal
) -> None:  # type: ignore[no-untyped-def]
    root = tmp_path / "typo"
    kb.config.unlink()
    before = sorted(tmp_path.rglob("*"))
    refused = inside(kb)("init", "--root", str(root))
    assert (refused.code, refused.stdout) == (2, "")
    assert refused.stderr.endswith(f"kebab init --root {root} --yes creates it\n")
    asked = terminal(kb, "init", "--root", str(root), typed="n\n")
    assert (asked.code, "Create it?" in asked.stderr) == (130, True)
    assert sorted(tmp_path.rglob("*")) == before
    assert terminal(kb, "init", "--root", str(root), typed="y\n").code == 0
    assert root.is_dir()

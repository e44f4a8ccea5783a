"""Ctrl-C while a question is asked, at whatever moment: a word to the user, exit code 130, and a row of what there is."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import pytest

QUESTION = "how long does rolling back take?"

DRIVER = """
import os, signal, sys
from importlib import import_module

module, name = sys.argv.pop(1).split(":")
owner = import_module(module)
*path, name = name.split(".")
for part in path:
    owner = getattr(owner, part)
inner = getattr(owner, name)

def interrupted(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGINT)
    return inner(*args, **kwargs)

setattr(owner, name, interrupted)
from kebab_cli.start import start

start()
"""
"""Runs the command and presses Ctrl-C when a function is reached."""


@pytest.mark.thorough
@pytest.mark.parametrize(
    "moment",
    [
        "kebab_config:load_settings",
        "kebab_app.ask:build_rag",
        "kebab_app.ask:search",
        "kebab_search:SearchRetriever.search",
        "kebab_extractive:ExtractiveReader.read",
    ],
)
@pytest.mark.parametrize("flags", [[], ["--stream"]])
def test_an_interrupt_at_any_moment_is_said_and_leaves_a_row(
    moment: str, flags: list[str], indexed, inside
) -> None:  # type: ignore[no-untyped-def]
    arguments = ("ask", QUESTION, *flags, "--config", str(indexed.config))
    done = indexed.kebab.run_program(DRIVER, moment, *arguments)
    assert (done.code, done.stdout, done.stderr) == (130, "", "interrupted\n")
    (kept,) = inside(indexed)("answers", "list", "--json").last["answers"]
    assert (kept["question"], kept["answer"]["refusal_reason"]) == (QUESTION, "llm_stream_aborted")
    assert kept["answer"]["markers"] == kept["answer"]["citations"] == []


def test_an_interrupt_in_the_middle_of_a_line_ends_the_line(quick) -> None:  # type: ignore[no-untyped-def]
    from kebab_cli.main import run

    class Interrupting(StringIO):
        """A terminal whose user presses Ctrl-C as soon as the answer shows."""

        pressed = False

        def flush(self) -> None:
            if self.getvalue() and not self.pressed:
                self.pressed = True
                raise KeyboardInterrupt

    shown, told = Interrupting(), StringIO()
    with redirect_stdout(shown), redirect_stderr(told):
        code = run(["ask", QUESTION, "--stream", "--config", str(quick.config)])
    assert code == 130
    assert shown.getvalue().startswith("▎ Rolling back")
    assert shown.getvalue().endswith("\n")
    assert told.getvalue() == "interrupted\n"


def test_a_question_asked_in_the_background_ignores_what_the_shell_ignores(indexed) -> None:  # type: ignore[no-untyped-def]
    """A shell without job control starts background work with SIGINT ignored; it stays so."""
    command = indexed.kebab.command("ask", QUESTION, "--config", str(indexed.config))
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, "kebab_app.ask:build_rag", *command[3:]],
        env=indexed.kebab.environment(),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0
    assert "Rolling back takes one command" in done.stdout

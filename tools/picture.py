"""Makes the pictures of both READMEs: the page in the browser over the notes of a small office, light and dark.

`python -m tools.picture` writes them; it needs Chromium.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kebab_app import App, initialize
from kebab_config import load_settings
from PIL import Image

from tools.chromium import Browser, start_chromium

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
NOTES = Path(__file__).parent / "picture_notes"
"""What is asked in the pictures. `.html` is printed as PDF."""
MAX_BYTES = 150_000
_WIDTH, _HEIGHT, _SCALE = 1120, 680, 2
_COLOURS = 128
_ENTER, _CTRL = 13, 2
_IS_READ = (
    "document.querySelector('form[action=\"/library/read\"]') && !document.querySelector('.start') && 1"
)
_QUESTIONS = {"en": "How long do we keep backups?", "ko": "백업 보관 기간은 얼마나 됩니까?"}


def main() -> None:
    """Write the pictures, two for each language."""
    FOLDER.mkdir(exist_ok=True)
    with start_chromium(f"--window-size={_WIDTH},{_HEIGHT}") as browser, _serve_notes(browser) as url:
        browser.open(url)
        browser.wait("location.pathname === '/'")
        for language, question in _QUESTIONS.items():
            _present(browser, language, "light")
            _ask(browser, url.partition("/enter")[0], question)
            for theme in ("light", "dark"):
                _present(browser, language, theme)
                path = FOLDER / f"page-{language}-{theme}.png"
                path.write_bytes(_frame(browser.take_picture()))
                size = path.stat().st_size
                print(f"{path.name}  {size // 1000} kB")  # noqa: T201 - a tool
                if size > MAX_BYTES:
                    sys.exit(f"{path.name} is larger than {MAX_BYTES} bytes")


@contextmanager
def _serve_notes(browser: Browser) -> Iterator[str]:
    """Read the notes and serve them.

    Yields:
        The address that lets one browser in.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        notes = shutil.copytree(NOTES, home / "notes")
        for page in notes.rglob("*.html"):
            browser.open(page.as_uri())
            page.with_suffix(".pdf").write_bytes(browser.print_pdf())
            page.unlink()
        environ = {"HOME": folder, "LANG": "C.UTF-8", "PATH": os.defpath}
        initialize(config_path=home / "kebab.toml", root=notes, environ=environ)
        named = ["--config", str(home / "kebab.toml")]
        command = [sys.executable, "-P", "-m", "kebab_web", *named, "--no-open", "--port", "0"]
        with App(load_settings(config_path=home / "kebab.toml", environ=environ)) as app:
            app.ingest()
        with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - this Python
            try:
                yield _find_address(process.stdout.readline() if process.stdout else "")
            finally:
                process.terminate()


def _find_address(printed: str) -> str:
    found = re.search(r"http://\S+", printed)
    if found is None:
        sys.exit(f"the server says {printed!r}")
    return found[0]


def _present(browser: Browser, language: str, theme: str) -> None:
    browser.set_look(language=language, theme=theme, width=_WIDTH, height=_HEIGHT, scale=_SCALE)


def _ask(browser: Browser, origin: str, question: str) -> None:
    """Ask a question once all is read, and open the place of the first citation."""
    while True:
        browser.open(f"{origin}/library")
        if browser.run(_IS_READ):
            break
    browser.open(f"{origin}/")
    browser.wait("document.documentElement.classList.contains('scripted')")
    browser.run("document.getElementById('q').focus()")
    browser.type(question)
    browser.wait("document.getElementById('status')?.dataset.stage === 'both'")
    browser.press("Enter", code=_ENTER, modifiers=_CTRL)
    browser.wait("document.querySelector('#answer .grounded a.cite')")
    browser.run("document.querySelector('#answer a.cite').click()")
    browser.wait("document.querySelector('#doc .cited')")
    browser.run("document.activeElement.blur()")
    browser.run("document.querySelector('#popover').hidden = true")


def _frame(png: bytes) -> bytes:
    """Reduce a picture to a palette."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    reduced = picture.quantize(_COLOURS, dither=Image.Dither.NONE)
    written = io.BytesIO()
    reduced.save(written, "PNG", optimize=True)
    return written.getvalue()


if __name__ == "__main__":
    main()

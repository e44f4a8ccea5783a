"""`kebab render`."""

from __future__ import annotations

import os
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kebab_cli.language import tr
from kebab_cli.options import KebabCommand, Number
from kebab_cli.session import Session, expand_hit, find_sought, pass_session

if TYPE_CHECKING:
    from kebab_app import RenderedPage

_STDOUT = "-"
_SUFFIX = ".png"
_NAME_CHARS = 60


@click.command(cls=KebabCommand)
@click.argument("address")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The PNG to write, - for stdout. Without it, a new file in this folder, named after document and page.",
)
@click.option(
    "--scale",
    type=Number(0.1, 20),
    help="Pixels per point of a page, 2 without it, which is 144 dpi; per pixel of a picture, 1 without it.",
)
@click.option(
    "--words",
    metavar="TEXT",
    help="Underline these words or this quote in the cited lines; without it, of @2 the words of the query or the answer.",
)
@click.option("--unmarked", is_flag=True, help="Do not mark what is cited.")
@pass_session
def command(
    session: Session,
    /,
    *,
    address: str,
    output: str | None,
    scale: float | None,
    words: str | None,
    unmarked: bool,
) -> None:
    """Draw a PDF page or a picture with the cited text marked.

    ADDRESS is the address of a hit or citation: @2 is the second hit of the last search or answer in this terminal,
    with its passage marked; paper.pdf#p=3 is the page alone; a path alone is the first page, or the whole picture, which is
    drawn upright. After `kebab answers show ID`, @1 and @2 are the citations of the stored answer.

    Examples:
      kebab render @1
      kebab render paper.pdf#p=3 -o page.png
      kebab render receipt.jpg#xywh=40,200,300,60
      kebab render scan.pdf#p=2 --words "total amount"
      kebab render @2 --scale 4 -o - | magick - page.jpg
    """
    from kebab_app import render_page

    if output == _STDOUT and session.console.json:
        raise click.UsageError(tr("--json and -o - cannot be used together"))
    if output not in {None, _STDOUT} and Path(output or "").suffix.lower() != _SUFFIX:
        raise click.UsageError(tr("the file of -o must end in {suffix}", suffix=_SUFFIX))
    with session.open_app() as app:
        cited, sought = expand_hit(app, address), find_sought(app, address, words)
        picture = render_page(app.base, cited, scale=scale, marked=not unmarked, sought=sought)
    if output == _STDOUT:
        sys.stdout.buffer.write(picture.png)
        return
    file = _write_new(picture) if output is None else _write(picture, Path(output))
    if session.console.json:
        from kebab_wire import RenderReportV1

        width, height = picture.pixels
        session.console.wire(
            RenderReportV1(
                address=picture.address,
                file=str(file.absolute()),
                page=picture.page,
                width=width,
                height=height,
                page_size=picture.size,
                rectangles=picture.rectangles,
                word_rectangles=picture.word_rectangles,
            )
        )
    else:
        session.console.line(str(file))


def _write_new(picture: RenderedPage) -> Path:
    """Write a picture to a file that is not there yet.

    Raises:
        StorageError: It cannot be written.
    """
    name = f"{picture.name[:_NAME_CHARS]}-p{picture.page}"
    for number in count(1):
        file = Path(f"{name}{'' if number == 1 else f'-{number}'}{_SUFFIX}")
        if not os.path.lexists(file):
            break
    return _write(picture, file)


def _write(picture: RenderedPage, file: Path) -> Path:
    """Write a picture, whole or not at all, for its owner only: a page may be private although its folder is not.

    Raises:
        StorageError: It cannot be written.
    """
    import tempfile

    from kebab_core import Remedy, StorageError

    draft = None
    try:
        with tempfile.NamedTemporaryFile(
            dir=file.parent, prefix=".kebab-", suffix=_SUFFIX, delete=False
        ) as made:
            draft = Path(made.name)
            made.write(picture.png)
        return draft.replace(file)
    except OSError as error:
        if draft is not None:
            draft.unlink(missing_ok=True)
        raise StorageError(
            "cannot write {path!r}: {reason}",
            remedy=Remedy(kind="check_permissions", path=str(file.parent)),
            path=str(file),
            _reason=(error.strerror or str(error)).lower(),
        ) from error

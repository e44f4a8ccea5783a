"""A knowledge base with pictures whose run dies over them, and what has to be true after the next run; no model reads them."""

from __future__ import annotations

import io
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_app import App
from kebab_core import OcrRegion, OcrText
from kebab_ingest import PictureText, ReadingCache
from kebab_model_ocr import manifest
from kebab_ocr import identify_local
from PIL import Image

from tests.integration.kill_points import Case, KillPoint, Victim, When
from tests.integration.killed_runs import Document, KilledBase, dump_documents, is_reached

if TYPE_CHECKING:
    from collections.abc import Callable

    from kebab_ingest import PictureTask

FRAMES = 18
SETTINGS = '[ingest.ocr]\npictures = "all"\n'
LOG = "readings.log"
_KEEP = "kebab_ingest.readings:ReadingCache.keep"
_BUILDER = "kebab_ingest.picture_documents:PictureBuilder"
_READ = "tests.integration.killed_pictures:describe_page"


def _point(name: str, target: str, when: When = When.BEFORE, **more: object) -> KillPoint:
    return KillPoint(name=f"pictures: {name}", target=target, when=when, case=Case.PICTURES, **more)  # type: ignore[arg-type]


PICTURE_POINTS = [
    _point("claim", "kebab_app.pass_locks:PassLocks.claim"),
    _point("page is read", _READ, victim=Victim.PARENT, nth=9),
    _point("first reading comes", _KEEP),
    _point("first reading is kept", _KEEP, When.AFTER),
    _point("later reading comes", _KEEP, nth=13),
    _point("later reading is committed", _KEEP, When.STATEMENT, nth=13, statement="COMMIT"),
    _point("part of a document is built", f"{_BUILDER}.build"),
    _point("part of a document is stored", f"{_BUILDER}.build", When.STATEMENT, statement="COMMIT"),
    _point("document is built", f"{_BUILDER}.build", When.AFTER, nth=3),
    _point("pass ends", "kebab_ingest.ocr_pass:OcrPass.run", When.AFTER),
]
NEVER = _point("never", _KEEP, nth=10**6)


def read_without_models(log: Path) -> Callable[[object], Callable[[PictureTask], PictureText]]:
    """Return what stands in place of `PictureReaderRecipe.__call__`: it notes each page that it reads in a log."""

    def build(_recipe: object) -> Callable[[PictureTask], PictureText]:
        def read(task: PictureTask) -> PictureText:
            from tests.integration import killed_pictures

            text = killed_pictures.describe_page(task)
            with os.fdopen(os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "a") as file:
                file.write(f"{task.asset.checksum} {task.page}\n")
            region = OcrRegion(bbox=(1, 1, 40, 10), text=text, confidence=0.9)
            return PictureText(OcrText(joined=text, regions=(region,), engine="none", engine_version="1"), 1)

        return read

    return build


def describe_page(task: PictureTask) -> str:
    """Return the text of a page."""
    return f"Page {task.page} of {task.asset.checksum[:6]}."


def make_pictures() -> dict[str, bytes]:
    """A note, the pictures that it shows, and a long scan."""
    found = {"note.md": b"# Pictures\n\nThe first of them:\n\n![one](img/0.png) ![two](img/1.png)\n"}
    frames = [Image.new("L", (64, 64), 9 * number) for number in range(FRAMES)]
    for number in range(4):
        content = io.BytesIO()
        frames[number].copy().save(content, "PNG")
        found[f"img/{number}.png"] = content.getvalue()
    content = io.BytesIO()
    frames[0].save(content, "TIFF", save_all=True, append_images=frames[1:])
    return found | {"scan.tif": content.getvalue()}


_FRESH: dict[str, Document] = {}
"""What a new index has of each document."""


def find_picture_faults(home: Path, point: KillPoint) -> list[str]:
    """Kill a run at a point and let the next one go on; return what was not as promised, which is nothing."""
    base = KilledBase(home, more=SETTINGS)
    base.write(make_pictures())
    status = base.kill(point)
    faults = [] if is_reached(point, status) else [f"the run ended with {status} instead of dying there"]
    kept, before = _list_kept(base), read_log(home)
    if ended := base.kill(NEVER):
        faults.append(f"the next run ended with {ended}")
    after = read_log(home)
    faults += [f"{page} was kept and is read again" for page in kept if after[page] != before[page]]
    faults += [f"{page} is read {count} times" for page, count in after.items() if count > 2]
    if len(after) != FRAMES + 4:
        faults.append(f"{len(after)} pages are read")
    if not _FRESH:
        base.kill(NEVER, "fresh")
        with App(base.load("fresh")) as app:
            _FRESH.update(dump_documents(app))
    with App(base.load()) as app:
        if dump_documents(app) != _FRESH:
            faults.append("the documents are not those of a new index")
        faults += [f"doctor: {c.name}: {c.detail}" for c in app.doctor().checks if not c.ok]
    return faults


def read_log(home: Path) -> Counter[tuple[str, int]]:
    """How often each page was read, by checksum and number."""
    path = home / LOG
    lines = path.read_text().splitlines() if path.exists() else []
    return Counter((line.split()[0], int(line.split()[1])) for line in lines)


def _list_kept(base: KilledBase) -> set[tuple[str, int]]:
    engine = identify_local(manifest()["files"])
    with App(base.load(), readonly=True) as app:
        app.base.open_for_reading()
        readings = ReadingCache(pictures=app.base.index.pictures, clock=app.base.clock)
        return {
            (document.checksum, page)
            for document in app.base.index.pictures.list_documents()
            for page in readings.load(document.checksum, {each.page: engine.key for each in document.pages})
        }

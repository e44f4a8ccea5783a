"""Text in pictures, from the file to the search result, read by the real engine in worker processes."""

from __future__ import annotations

import io
import struct
import zlib
from typing import TYPE_CHECKING

import pytest
from kebab_app import list_readings
from kebab_app.ocr import find_ocr_engine
from kebab_core import (
    CancelToken,
    FetchAddress,
    IngestEvent,
    OcrIdentity,
    OcrPageFinished,
    OcrReading,
    OcrStarted,
    RegionCitation,
    SearchFilters,
    SearchMode,
    SearchQuery,
)
from kebab_ingest import ReadingCache
from kebab_store_sqlite import claim_work
from kebab_testing.pdf_files import Line, PageSpec, write_pdf
from PIL import Image, ImageDraw, ImageFont
from pypdf import PdfReader, PdfWriter

if TYPE_CHECKING:
    from conftest import Base

SIGN, PAY = "Please sign page 3 by 29 May.", "The mooring fee is 40 euros."


def draw(*lines: str, kind: str = "PNG", frames: int = 1) -> bytes:
    """A picture of lines of text, each frame of a TIFF or page of a PDF with its number before them."""
    pages = []
    for number in range(1, frames + 1):
        image = Image.new("RGB", (640, 40 + 60 * len(lines)), "white")
        for row, line in enumerate(lines):
            text = line if frames == 1 else f"{number}. {line}"
            font = ImageFont.load_default(28)
            ImageDraw.Draw(image).text((20, 20 + 60 * row), text, font=font, fill="black")
        pages.append(image)
    content = io.BytesIO()
    more = {"save_all": True, "append_images": pages[1:]} if frames > 1 else {}
    pages[0].save(content, kind, **more)
    return content.getvalue()


@pytest.fixture(autouse=True)
def one_reader(base: Base, one_process: None) -> None:
    """One worker process for all pictures of a run: each takes a second of processor time to start."""
    base.configure("ingest", workers=1)


@pytest.fixture
def pictures(base: Base) -> Base:
    """A knowledge base that has all pictures read."""
    base.configure("ingest.ocr", pictures="all")
    return base


def find(base: Base, text: str) -> list[str]:
    return [
        hit.citation.to_address()
        for hit in base.app.search(SearchQuery(text=text, mode=SearchMode.LEXICAL)).hits
    ]


def test_text_of_a_picture_is_found_and_cited_by_its_region_and_read_once(pictures: Base) -> None:
    pictures.configure("ingest", workers=2)
    pictures.write("sign.png", draw(SIGN))
    pictures.write("copy.png", draw(SIGN))
    pictures.write("fee.tif", draw(PAY, kind="TIFF", frames=2))

    run = pictures.ingest()

    assert run.report.ocr is not None
    assert (run.report.ocr.read, run.report.ocr.documents, run.report.ocr.waiting) == (3, 3, 0)
    started = [event for event in run.events if isinstance(event, OcrStarted)]
    finished = [event for event in run.events if isinstance(event, OcrPageFinished)]
    assert [(event.pictures, event.pages) for event in started] == [(3, 0)]
    assert [(event.done, event.total) for event in finished] == [(1, 3), (2, 3), (3, 3)]
    (hit,) = pictures.app.search(SearchQuery(text="sign page", mode=SearchMode.LEXICAL)).hits
    assert {pictures.app.fetch(FetchAddress(address=name)).text for name in ("copy.png", "sign.png")} == {
        SIGN
    }
    cited = hit.citation
    assert isinstance(cited, RegionCitation)
    assert cited.page is None
    assert 10 <= cited.x <= 30
    assert 10 <= cited.y <= 40
    assert 300 <= cited.w <= 600
    assert 20 <= cited.h <= 50
    assert [address.partition("&")[0] for address in find(pictures, "mooring")] == ["fee.tif#p=1"]

    again = pictures.ingest()
    assert again.report.ocr is None
    assert again.events[-1].kind == "completed"
    assert again.counts == {"scanned": 3, "unchanged": 3}


def test_text_stays_where_files_are_processed_again_moved_or_copied_without_a_reading(pictures: Base) -> None:
    path = pictures.write("sign.png", draw(SIGN))
    pictures.ingest()

    assert pictures.ingest(force=True, ocr=False).counts["updated"] == 1
    assert len(find(pictures, "sign page")) == 1
    pictures.touch(path.rename(path.with_name("moved.png")))
    assert pictures.ingest(ocr=False).counts["moved"] == 1
    assert [address.partition("#")[0] for address in find(pictures, "sign page")] == ["moved.png"]
    pictures.write("copy.png", draw(SIGN))
    copied = pictures.ingest().report.ocr
    assert copied is not None
    assert (copied.read, copied.reused, copied.documents) == (0, 1, 1)


def test_pictures_that_a_note_shows_are_read_and_loose_ones_are_counted(base: Base) -> None:
    base.write("notes/trip.md", "# Trip\n\n![the receipt](../img/fee%201.png)\n")
    base.write("img/fee 1.png", draw(PAY))
    base.write("img/loose.png", draw(SIGN))

    summary = base.ingest().report.ocr

    assert summary is not None
    assert (summary.read, summary.documents, summary.waiting, summary.unlinked) == (1, 1, 0, 1)
    assert len(find(base, "mooring")) == 1
    assert find(base, "sign page") == []
    base.write("notes/memo.md", "# Memo\n\n![[loose.png]]\n")
    linked = base.ingest().report.ocr
    assert linked is not None
    assert (linked.read, linked.unlinked) == (1, 0)
    assert len(find(base, "sign page")) == 1


def test_scanned_pages_are_read_page_by_page_beside_the_text_layer_of_others(base: Base) -> None:
    scan, text = (
        PdfReader(io.BytesIO(draw(PAY, kind="PDF", frames=2))),
        write_pdf(PageSpec([Line(60, 40, SIGN)])),
    )
    book = PdfWriter()
    for page in (scan.pages[0], PdfReader(io.BytesIO(text)).pages[0], scan.pages[1]):
        book.add_page(page)
    book.add_metadata({"/Keywords": "zirconium"})
    content = io.BytesIO()
    book.write(content)
    path = base.write("book.pdf", content.getvalue())

    first = base.ingest(ocr=False)
    assert "wait for OCR (pages 1, 3)" in first.item("book.pdf").warnings[0]
    assert find(base, "sign page") == ["book.pdf#p=2"]
    assert find(base, "mooring") == []
    assert find(base, "zirconium") == ["book.pdf#p=2"]
    run = base.ingest()

    assert run.report.ocr is not None
    assert (run.report.ocr.read, run.report.ocr.documents) == (2, 1)
    assert [(event.pictures, event.pages) for event in run.events if isinstance(event, OcrStarted)] == [
        (0, 2)
    ]
    (hit,) = base.app.search(SearchQuery(text="2. mooring", mode=SearchMode.LEXICAL)).hits
    cited = [hit.citation, *(each.citation for each in hit.more)]
    assert {type(each) for each in cited} == {RegionCitation}
    assert sorted(each.page or 0 for each in cited if isinstance(each, RegionCitation)) == [1, 3]
    assert base.app.fetch(FetchAddress(address="book.pdf#p=3")).text == f"\n\n2. {PAY}"
    assert find(base, "zirconium") == ["book.pdf#p=2"]
    assert "zirconium" in base.app.fetch(FetchAddress(address="book.pdf#p=2")).text
    explained = base.app.why(path)
    assert not any("OCR" in step.detail for step in explained.steps)
    base.configure("ingest.ocr", scans=False)
    base.write("other.pdf", draw(SIGN, kind="PDF", frames=3))
    assert base.ingest().report.ocr is None


def test_what_cannot_be_read_is_told_once_and_tried_again_only_when_asked(pictures: Base) -> None:
    whole = draw(SIGN)
    pictures.write("cut.png", whole[: len(whole) * 2 // 3])
    bomb = bytearray(draw(SIGN))
    bomb[16:24] = struct.pack(">II", 30_000, 30_000)
    bomb[29:33] = struct.pack(">I", zlib.crc32(bomb[12:29]))
    pictures.write("bomb.png", bytes(bomb))

    run = pictures.ingest()

    assert run.report.ocr is not None
    (failure,) = run.report.ocr.failures
    assert (failure.doc_path, failure.page, failure.failure.code) == ("cut.png", 1, "document_damaged")
    bombed = run.item("bomb.png").error
    assert bombed is not None
    assert bombed.code == "document_too_large"
    (reading,) = list_readings(pictures.app.base, failed=True)
    assert (reading.doc_path, reading.failure) == ("cut.png", failure.failure)
    assert pictures.ingest().report.ocr is None
    again = pictures.ingest(reads_pictures_again=True).report.ocr
    assert again is not None
    assert again.read == 1
    explained = pictures.app.why("cut.png")
    assert any("could not be recognised" in step.detail for step in explained.steps)


def test_without_the_packages_pictures_wait_and_every_surface_says_what_to_do(
    pictures: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kebab_app.ocr.find_spec", lambda _name: None)
    path = pictures.write("sign.png", draw(SIGN))

    run = pictures.ingest()

    assert run.report.ocr is not None
    assert (run.report.ocr.waiting, run.report.ocr.read) == (1, 0)
    assert run.report.ocr.missing is not None
    assert run.report.ocr.missing.remedy is not None
    assert run.report.ocr.missing.remedy.value == "kebab-cli[ocr]"
    (check,) = [each for each in pictures.app.doctor().checks if each.name == "pictures_read"]
    assert not check.ok
    assert check.remedy is not None
    assert check.remedy.kind == "install_packages"
    explained = pictures.app.why(path)
    assert explained.remedy is not None
    assert explained.remedy.kind == "install_packages"
    assert len(find(pictures, "sign")) == 1  # by its name
    monkeypatch.undo()
    read = pictures.ingest().report.ocr
    assert read is not None
    assert read.read == 1


def test_run_that_is_cancelled_or_killed_goes_on_without_a_second_reading(
    pictures: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        pictures.write(f"{number}.png", draw(f"{number}. {PAY}"))
    cancel, done = CancelToken(), list[OcrPageFinished]()

    def stop(event: IngestEvent) -> None:
        if isinstance(event, OcrPageFinished):
            done.append(event)
            cancel.cancel()

    report = pictures.app.ingest(sink=stop, cancel=cancel)
    assert report.aborted
    assert report.ocr is not None
    assert (report.ocr.read, report.ocr.waiting) == (1, 3)

    keep, kept = ReadingCache.keep, list[int]()

    def keep_and_die(cache: ReadingCache, checksum: str, page: int, reading: OcrReading) -> None:
        keep(cache, checksum, page, reading)
        kept.append(page)
        raise KeyboardInterrupt  # as a kill does: nothing after it happens

    monkeypatch.setattr(ReadingCache, "keep", keep_and_die)
    with pytest.raises(KeyboardInterrupt):
        pictures.ingest()
    monkeypatch.undo()
    waiting = [
        document
        for document in pictures.app.base.index.pictures.list_documents()
        if not document.pages[0].engine_key
    ]
    engine = find_ocr_engine()
    assert isinstance(engine, OcrIdentity)
    keys = [OcrReading.cache_key(document.checksum, 1, engine.key) for document in waiting[-1:]]
    with claim_work(pictures.data_dir, "reading", keys):  # by another process
        beside = pictures.ingest().report.ocr
    assert beside is not None
    assert (beside.read, beside.reused, beside.waiting, beside.elsewhere) == (1, 1, 1, 1)
    last = pictures.ingest().report.ocr
    assert last is not None
    assert (len(done), len(kept), last.read, last.reused, last.waiting) == (1, 1, 1, 0, 0)
    assert len(find(pictures, "mooring fee")) == 4


def test_another_engine_reads_again_and_the_first_text_stays_until_then(
    pictures: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures.write("sign.png", draw(SIGN))
    pictures.ingest()
    monkeypatch.setattr("kebab_ocr.identity._VERSION", "of another engine")
    assert len(find(pictures, "sign page")) == 1
    again = pictures.ingest().report.ocr
    assert again is not None
    assert (again.read, again.documents) == (1, 1)
    assert pictures.ingest().report.ocr is None


TRIP = "---\ntags: [travel]\n---\n# Trip\n\n## {heading}\n\nWe took a photo at the quay.\n\n![price board](img/1.png)\n"


def test_a_picture_is_found_by_what_notes_say_around_it_and_by_their_tags_as_long_as_they_do(
    base: Base,
) -> None:
    base.write("img/1.png", draw(PAY))
    note = base.write("trip.md", TRIP.format(heading="Lisbon"))

    def find_picture(text: str, **filters: tuple[str, ...]) -> list[str]:
        query = SearchQuery(text=text, mode=SearchMode.LEXICAL, filters=SearchFilters(**filters))
        paths = [str(hit.citation.path) for hit in base.app.search(query).hits]
        return [path for path in paths if path == "img/1.png"]

    base.ingest(ocr=False)
    assert find_picture("price board")  # before anything is read in it
    assert base.ingest().report.ocr is not None
    for words in ("price board", "photo at the quay", "Lisbon", "Trip mooring fee"):
        assert find_picture(words)
    assert find_picture("mooring", tags_any=("travel",))
    assert not find_picture("mooring", tags_any=("home",))
    assert base.app.fetch(FetchAddress(address="img/1.png")).text == PAY
    assert base.ingest(force=True, ocr=False).counts["updated"] == 2
    assert find_picture("Lisbon mooring")

    note.write_text(TRIP.format(heading="Porto").replace("travel", "home"))
    assert base.ingest().report.ocr is None  # nothing is read again
    assert find_picture("Porto")
    assert not find_picture("Lisbon")
    assert find_picture("mooring", tags_any=("home",))
    note.unlink()
    base.ingest()
    assert not find_picture("Porto")
    assert not find_picture("mooring", tags_any=("home",))
    assert find_picture("mooring")


def test_forgetting_a_note_takes_its_words_out_of_its_pictures(base: Base) -> None:
    note = base.write("trip.md", TRIP.format(heading="Lisbon"))
    base.write("img/1.png", draw(PAY))
    base.ingest(ocr=False)
    assert len(find(base, "Lisbon")) == 2
    note.unlink()

    base.app.forget(["trip.md"])

    assert find(base, "Lisbon") == []
    assert base.paths() == ["img/1.png"]


NAMES = {"mooring fee", "mooring fee.png", "mooring fee (mooring fee.png)"}


def test_a_name_of_a_picture_is_no_answer(base: Base) -> None:
    base.write("img/mooring fee.png", draw(PAY))
    base.write(
        "pictures.md", "# Pictures\n\n![mooring fee](img/mooring%20fee.png)\n\n![](img/mooring%20fee.png)\n"
    )
    base.ingest(ocr=False)
    for question in ("Which mooring fee is due?", "mooring fee picture", "What is the mooring fee?"):
        answer = base.app.ask(question)
        assert not answer.grounded
        assert not any(line.strip(" ▎") in NAMES for line in answer.answer.splitlines())

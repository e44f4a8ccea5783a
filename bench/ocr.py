"""Measures text in pictures: how much is read right, in which order, where, and at what cost.

    python bench/ocr.py FOLDER [KIND ...] [--lines]
    python bench/ocr.py FILE.pdf PAGE ... [--lines]
    python bench/ocr.py FOLDER --screenshots N

FOLDER holds pictures and `truth.json`: for each the text of its lines and the boxes of its words. Errors count edits of
characters without white space, quotes and dashes folded: `line` of each line against its best stretch of what was read,
`order` of the whole page; a line is lost with more than half of it wrong. Pages of a PDF are compared with its text layer.
With `--screenshots`, that many windows of 800 by 600 pixels are drawn with text of the Markdown files under the folder, half of them dark,
and read by a run of kebab: pages a minute, CPU seconds and memory of its processes from a tenth of the pages to the next.
"""

import argparse
import json
import os
import random
import re
import resource
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pypdfium2
from kebab_app import App
from kebab_config import load_settings
from kebab_core import PAGE_DPI, IngestEvent, OcrPageFinished, OcrStarted, OcrText, Picture
from kebab_model_ocr import files, manifest
from kebab_ocr import build_local_ocr
from kebab_parse_pdf import draw_page
from PIL import Image, ImageDraw, ImageFont, ImageOps

WINDOW = (800, 600)
"""Pixels of a screenshot."""
PARAGRAPH = range(60, 600)
"""Characters of paragraphs that are drawn."""
FONT = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
"""Font of screenshots; its second face is the Korean one."""
FOLDED = str.maketrans(
    {
        **dict.fromkeys("‘’`", "'"),
        **dict.fromkeys("“”", '"'),
        **dict.fromkeys("–—‐−", "-"),
        **dict.fromkeys("·•", "."),
    }
    | {"…": "...", "∼": "~", "，": ",", "×": "x"}
)


def fold(text: str, space: str = "") -> str:
    return re.sub(r"\s+", space, unicodedata.normalize("NFC", text).translate(FOLDED)).strip()


def edits(true: str, read: str, *, anywhere: bool) -> int:
    """Edits that make one text of the other; with `anywhere` of the first and the best stretch of the second."""
    letters = np.array([ord(char) for char in read], np.int64)
    index = np.arange(len(read) + 1)
    row = np.zeros(len(read) + 1, np.int64) if anywhere else index.copy()
    for at, char in enumerate(true, 1):
        best = np.minimum(row[:-1] + (letters != ord(char)), row[1:] + 1)
        best = np.concatenate([[at], best])
        row = np.minimum.accumulate(best - index) + index
    return int(row.min() if anywhere else row[-1])


def overlap(one: list[float], two: list[float]) -> float:
    width = min(one[2], two[2]) - max(one[0], two[0])
    height = min(one[3], two[3]) - max(one[1], two[1])
    shared = max(0.0, width) * max(0.0, height)
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, two))
    return shared / (areas - shared) if areas > shared else 0.0


def measure(page: dict, read: OcrText) -> Counter[str]:
    lines = [fold(line["text"]) for line in page["lines"]]
    text = fold(read.joined)
    wrong = [min(len(line), edits(line, text, anywhere=True)) for line in lines]
    words = Counter(word for line in page["lines"] for word in fold(line["text"], " ").split())
    found = Counter(fold(read.joined, " ").split())
    boxes: dict[str, list[list[float]]] = {}
    for line in page["lines"]:
        for word, box in line["words"]:
            boxes.setdefault(fold(word), []).append(box)
    counts = Counter(
        characters=sum(map(len, lines)),
        wrong=sum(wrong),
        order=edits("".join(lines), text, anywhere=False) if lines else 0,
        lost=sum(count > len(line) / 2 for count, line in zip(wrong, lines, strict=True)),
        lines=len(lines),
        words=words.total(),
        found=sum(min(count, found[word]) for word, count in words.items()),
        invented=0 if lines else len(text),
    )
    for word in (word for region in read.regions for word in region.words or () if fold(word.text) in boxes):
        x, y, width, height = word.bbox
        true = boxes[fold(word.text)]
        middle = (x + width / 2, y + height / 2)
        counts["placed"] += 1
        counts["inside"] += any(
            box[0] - 3 <= middle[0] <= box[2] + 3 and box[1] - 3 <= middle[1] <= box[3] + 3 for box in true
        )
        counts["overlap"] += max(overlap([x, y, x + width, y + height], box) for box in true)
    return counts


def show(kind: str, counts: Counter[str]) -> None:
    share = {name: counts[name] / max(1, counts["characters"]) for name in ("wrong", "order")}
    print(
        f"{kind:12} line {share['wrong']:.3f}  order {share['order']:.3f}  lost {counts['lost']}/{counts['lines']}"
        f"  words {counts['found'] / max(1, counts['words']):.3f}"
        f"  inside {counts['inside']}/{counts['placed']}  IoU {counts['overlap'] / max(1, counts['placed']):.2f}"
        f"  invented {counts['invented']}  {counts['cpu_s'] / counts['pages']:.2f} CPU s a page"
    )


def list_pages(path: Path, chosen: list[str]) -> Iterator[tuple[dict, Image.Image]]:
    """Yield pages with what is true of each, and their pictures."""
    if path.is_dir():
        for page in json.loads((path / "truth.json").read_text("utf-8"))["pages"]:
            if not chosen or page["kind"] in chosen:
                image = ImageOps.exif_transpose(Image.open(path / page["file"])).convert("RGB")
                yield page, image
        return
    document = pypdfium2.PdfDocument(path)
    for number in map(int, chosen):
        text = document[number - 1].get_textpage().get_text_range()
        lines = [{"text": line, "words": []} for line in text.splitlines() if line.strip()]
        drawn = draw_page(path.read_bytes(), number, dpi=PAGE_DPI)
        image = Image.frombytes("RGB", (drawn.width, drawn.height), drawn.pixels)
        yield {"file": f"page {number}", "kind": f"page {number}", "lines": lines}, image


def draw_screenshot(paragraphs: list[str], size: int, *, dark: bool) -> Image.Image:
    """Draw a window full of text."""
    ground, ink = ((30, 30, 34), (225, 225, 230)) if dark else ((255, 255, 255), (20, 20, 20))
    image = Image.new("RGB", WINDOW, ground)
    draw, font, lines = ImageDraw.Draw(image), ImageFont.truetype(FONT, size, index=1), list[str]()
    for paragraph in paragraphs:
        line = ""
        for word in paragraph.split():
            if font.getlength(f"{line} {word}") > WINDOW[0] - 60:
                lines.append(line)
                line = ""
            line = f"{line} {word}".strip()
        lines.append(line)
    lines = lines[: (WINDOW[1] - 40) * 2 // (3 * size)]
    for number, line in enumerate(lines):
        draw.text((30, 20 + number * size * 3 // 2), line, font=font, fill=ink)
    return image


def list_paragraphs(folder: Path) -> list[str]:
    """Return the plain paragraphs of the Markdown files under a folder."""
    texts = [path.read_text("utf-8", errors="replace") for path in sorted(folder.rglob("*.md"))]
    blocks = (block.replace("\n", " ").strip() for text in texts for block in text.split("\n\n"))
    return [
        block for block in blocks if len(block) in PARAGRAPH and not re.search(r"[|`<>{}\[\]*#_=]", block)
    ]


def read_screenshots(path: Path, count: int) -> None:
    """Draw screenshots, have kebab read them, and print what that takes.

    Raises:
        SystemExit: Nothing was read.
    """
    rng = random.Random(34)  # noqa: S311 - no secret
    paragraphs = list_paragraphs(path)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "notes").mkdir()
        for number in range(count):
            at = rng.randrange(len(paragraphs) - 20)
            text = paragraphs[at : at + 20]
            image = draw_screenshot(text, rng.choice((14, 16, 18, 21)), dark=number % 2 == 1)
            image.save(home / "notes" / f"{number:05}.png")
        config = home / "kebab.toml"
        config.write_text(
            '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n[ingest.ocr]\npictures = "all"\n'
            '[models.embedding]\nprovider = "none"\n'
        )
        started, peaks = time.monotonic(), Counter[int]()

        def watch(event: IngestEvent) -> None:
            nonlocal started
            if isinstance(event, OcrStarted):
                started = time.monotonic()
            if isinstance(event, OcrPageFinished):
                tenth = 10 * event.done // (event.total + 1)
                if not peaks[tenth]:
                    print(
                        f"{event.done:6} of {event.total}, {time.monotonic() - started:.0f} s, {_cpu_s():.0f} CPU s,"
                        f" largest process {max(map(_memory_mb, _list_children()))} MB, this {_memory_mb('self')} MB",
                        flush=True,
                    )
                peaks[tenth] = max(peaks[tenth], *map(_memory_mb, _list_children()))

        with App(load_settings(config_path=config, environ={"HOME": name})) as app:
            report = app.ingest(sink=watch)
        seconds = time.monotonic() - started
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        if report.ocr is None:
            raise SystemExit("nothing was read")
        print(
            f"{report.ocr.read} read, {len(report.ocr.failures)} failed, {60 * report.ocr.read / seconds:.0f} a minute,"
            f" {(used.ru_utime + used.ru_stime) / count:.2f} CPU s a page"
        )
        print("largest process in MB by tenths:", *(peaks[tenth] for tenth in sorted(peaks)))
        print(f"process of the run {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB at most")


def _list_children() -> list[str]:
    return Path("/proc/self/task", str(os.getpid()), "children").read_text("utf-8").split()


def _memory_mb(pid: str) -> int:
    try:
        return int(Path("/proc", pid, "statm").read_text("utf-8").split()[1]) * resource.getpagesize() >> 20
    except OSError:
        return 0


def _cpu_s() -> float:
    """CPU seconds of this process and its children, those that run included."""
    times, running = os.times(), 0
    for pid in _list_children():
        with suppress(OSError):
            stat = Path("/proc", pid, "stat").read_text("utf-8").rpartition(")")[2].split()
            running += int(stat[11]) + int(stat[12])
    return sum(times[:4]) + running / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("chosen", nargs="*", help="kinds of pictures, or numbers of pages")
    parser.add_argument("--screenshots", type=int, metavar="N")
    parser.add_argument("--lines", action="store_true", help="show what was read")
    arguments = parser.parse_args()
    if arguments.screenshots:
        read_screenshots(arguments.path, arguments.screenshots)
        return
    engine = build_local_ocr(files(), manifest()["files"])
    engine.read(Picture(32, 32, bytes(32 * 32 * 3)))
    kinds: dict[str, Counter[str]] = {}
    for page, image in list_pages(arguments.path, arguments.chosen):
        start = time.process_time()
        read = engine.read(Picture(*image.size, image.tobytes()))
        counts = measure(page, read) + Counter(cpu_s=time.process_time() - start, pages=1)
        for kind in (page["kind"], "all"):
            kinds.setdefault(kind, Counter()).update(counts)
        if arguments.lines:
            print(
                page["file"],
                *(f"  {region.confidence:.2f} {region.text}" for region in read.regions),
                sep="\n",
            )
    for kind in sorted(kinds, key=lambda each: each == "all"):
        show(kind, kinds[kind])
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()

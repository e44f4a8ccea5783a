"""Measures text in pictures: how much is read right, in which order, where, and at what cost.

    python bench/ocr.py FOLDER [KIND ...] [--lines]

FOLDER holds pictures and `truth.json`: for each the text of its lines and the boxes of its words. Errors count edits of
characters without white space, quotes and dashes folded: `line` of each line against its best stretch of what was read,
`order` of the whole page; a line is lost with more than half of it wrong.
"""

import argparse
import json
import re
import resource
import time
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
from kebab_core import OcrText, Picture
from kebab_model_ocr import files, manifest
from kebab_ocr import build_local_ocr
from PIL import Image, ImageOps

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--lines", action="store_true", help="show what was read")
    arguments = parser.parse_args()
    engine = build_local_ocr(files(), manifest()["files"])
    engine.read(Picture(32, 32, bytes(32 * 32 * 3)))
    kinds: dict[str, Counter[str]] = {}
    for page in json.loads((arguments.folder / "truth.json").read_text("utf-8"))["pages"]:
        if arguments.kinds and page["kind"] not in arguments.kinds:
            continue
        image = ImageOps.exif_transpose(Image.open(arguments.folder / page["file"])).convert("RGB")
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

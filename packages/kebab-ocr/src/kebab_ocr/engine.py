"""`LocalOcrEngine`: text in pictures by three models in this process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import cos, sin
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np
from kebab_core import (
    Message,
    ModelCorruptError,
    ModelMissingError,
    OcrIdentity,
    OcrRegion,
    OcrText,
    OcrWord,
    Picture,
    Remedy,
)
from kebab_runtime import mapped_onnx_errors, open_session
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from kebab_ocr.detector import TextDetector
from kebab_ocr.hangul import LANGUAGE, HangulReader
from kebab_ocr.identity import identify_local
from kebab_ocr.latin import LatinReader
from kebab_ocr.line_ink import LINE_HEIGHT, find_ink
from kebab_ocr.line_text import LineWord, read_line
from kebab_ocr.reading_order import Place, order_rows
from kebab_ocr.text_boxes import TextBox

DETECTOR, RECOGNISER, HANGUL = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx", f"{LANGUAGE}.traineddata"
_MODEL = "OCR model"
_TALL = 1.2
"""A box is tall whose height is so many times its width."""
_UPRIGHT = 0.78
"""Confidence of the longest lines below which a picture is also read upside down."""
_UPRIGHT_GAIN = 0.1
"""The other way up counts only with so much more."""
_LEAST_CONFIDENCE = 0.4
"""Of a line."""
_LEAST_SQUARE = 0.8
"""The same for what is hardly wider than tall, as blots are."""
_LEAST_DOUBTED = 0.9
"""The same where the detector is not sure."""
_SURE_SCORE = 0.85
"""Score of a box from which the detector is sure; lines of text have .9 and more."""
_LOW_INK = 30
"""Rows of ink of `LINE_HEIGHT` below which a box is cut closer."""
_INK_MARGIN = 0.18
"""Room left above and below, in heights of the ink."""
_SPECKS = 0.001
"""Share of the dark pixels with no other one near, above which a picture of two tones is a noisy fax: clean pages have .0005, noisy ones
.0015 and more (2026-12)."""


class _Line(NamedTuple):
    box: TextBox
    words: list[LineWord]

    @property
    def confidence(self) -> float:
        """Mean over the characters; 0 without words."""
        count = sum(len(word.text) for word in self.words)
        return sum(word.confidence * len(word.text) for word in self.words) / count if count else 0.0


def build_local_ocr(folder: Path, models: dict[str, str]) -> LocalOcrEngine:
    """Build the engine of a folder of models; they are loaded with the first picture.

    Args:
        folder: Holds the three models, named as in `kebab-model-ocr`.
        models: SHA-256 of each, by name, as its manifest has them; part of the identity.

    Raises:
        DependencyMissingError: Tesseract is not installed; some platforms have no package of it.
    """
    return LocalOcrEngine(folder, identify_local(models))


class LocalOcrEngine:
    """Reads text in pictures: PP-OCRv6 finds lines and reads Latin, Tesseract reads Hangul.

    Nothing is loaded before the first picture. One thread works; others wait for it.

    Args:
        folder: Holds the three models, named as in `kebab-model-ocr`.
        identity: What reads.
    """

    def __init__(self, folder: Path, identity: OcrIdentity) -> None:
        self._folder = folder
        self._identity = identity
        self._lock = Lock()
        self._readers: tuple[TextDetector, LatinReader, HangulReader] | None = None

    @property
    def identity(self) -> OcrIdentity:
        """Identity of the engine: equal ones read the same in the same picture."""
        return self._identity

    def read(self, picture: Picture) -> OcrText:
        """Return the lines of a picture in reading order, boxes in its pixels; none where it shows no text.

        Raises:
            ModelMissingError: A file of a model is not there.
            ModelCorruptError: A model cannot be loaded or run.
        """
        image = Image.frombytes("RGB", (picture.width, picture.height), picture.pixels)
        if _is_speckled(image):
            image = image.filter(ImageFilter.BoxBlur(1))
        with self._lock, mapped_onnx_errors(self._folder, model=_MODEL, remedy=_reinstall()):
            rows, turn = self._read_page(image)
        regions = tuple(_build_region(row, turn, image.size) for row in rows)
        return OcrText(
            joined="\n".join(region.text for region in regions),
            regions=regions,
            engine=self._identity.engine,
            engine_version=self._identity.engine_version,
        )

    def _load(self) -> tuple[TextDetector, LatinReader, HangulReader]:
        """The readers, loaded once.

        Raises:
            ModelMissingError: A file is not there.
            ModelCorruptError: Tesseract cannot load its data.
        """
        if self._readers is None:
            for name in (DETECTOR, RECOGNISER, HANGUL):
                if not (self._folder / name).is_file():
                    message = Message("files of the {model} are not on this machine", model=_MODEL)
                    raise ModelMissingError(message, remedy=_reinstall(), file=str(self._folder / name))
            try:
                hangul = HangulReader(self._folder)
            except RuntimeError as error:
                message = Message("the {model} cannot be loaded or run", model=_MODEL)
                raise ModelCorruptError(
                    message, remedy=_reinstall(), file=str(self._folder / HANGUL), reason=str(error)[:300]
                ) from error
            self._readers = (
                TextDetector(open_session(self._folder / DETECTOR)),
                LatinReader(open_session(self._folder / RECOGNISER)),
                hangul,
            )
        return self._readers

    def _read_page(self, image: Image.Image) -> tuple[list[list[_Line]], int]:
        """Return rows of lines, and the quarter turns to the left after which they were read."""
        detector, _, _ = self._load()
        boxes, turn = detector.find(image), 0
        if sum(box.height > _TALL * box.width for box in boxes) > len(boxes) / 2:
            image, turn = image.transpose(Image.Transpose.ROTATE_90), 1
            boxes = detector.find(image)
        if not boxes:
            return [], turn
        longest = sorted(boxes, key=lambda box: -box.width)[:3]
        lines = {box: self._read_line(image, box) for box in longest}
        if (upright := _mean_confidence(lines.values())) < _UPRIGHT:
            turned = image.transpose(Image.Transpose.ROTATE_180)
            others = {box: self._read_line(turned, box) for box in _upside_down(longest, image)}
            if _mean_confidence(others.values()) > upright + _UPRIGHT_GAIN:
                image, boxes, lines, turn = turned, _upside_down(boxes, image), others, turn + 2
        read = (lines[box] if box in lines else self._read_line(image, box) for box in boxes)
        return _order([line for line in read if _is_text(line)]), turn

    def _read_line(self, image: Image.Image, box: TextBox) -> _Line:
        _, latin, hangul = self._load()
        cut = _crop(image, box)
        closer = _cut_closer(box, cut)
        if closer is not box:
            cut = _crop(image, closer)
        pixels = np.ascontiguousarray(np.asarray(cut)[:, :, ::-1])
        return _Line(closer, read_line(pixels, latin, hangul))


def _is_speckled(image: Image.Image) -> bool:
    """Return True for a page in black and white with specks, such as a fax: its strokes have gaps, which are closed by smoothing."""
    if not image.getcolors(2):
        return False
    dark = np.asarray(image.convert("L")) < 128  # noqa: PLR2004 - the middle
    near = np.asarray(Image.fromarray(dark * np.uint8(25)).filter(ImageFilter.BoxBlur(2)))
    return bool(np.count_nonzero(dark & (near <= 1)) > _SPECKS * np.count_nonzero(dark))


def _mean_confidence(lines: Iterable[_Line]) -> float:
    return float(np.mean([line.confidence for line in lines]))


def _reinstall() -> Remedy:
    return Remedy(kind="install_packages", name="kebab-model-ocr", value="kebab-cli[ocr]")


def _upside_down(boxes: Sequence[TextBox], image: Image.Image) -> list[TextBox]:
    return [box._replace(x=image.width - box.x, y=image.height - box.y) for box in boxes]


def _crop(image: Image.Image, box: TextBox) -> Image.Image:
    """A line, straightened and brought to `LINE_HEIGHT`."""
    width = max(1, round(box.width * LINE_HEIGHT / box.height))
    start, right, _, down = box.corners()
    along, across = (right - start) / width, (down - start) / LINE_HEIGHT
    matrix = (along[0], across[0], start[0], along[1], across[1], start[1])
    return image.transform((width, LINE_HEIGHT), Image.Transform.AFFINE, matrix, Image.Resampling.BICUBIC)


def _cut_closer(box: TextBox, cut: Image.Image) -> TextBox:
    """Take room off a box whose ink, in its cut, is much lower; short lines get too much of it."""
    rows = np.flatnonzero(find_ink(np.asarray(cut.convert("L")), []).mask.any(axis=1))
    if not len(rows) or rows[-1] + 1 - rows[0] >= _LOW_INK:
        return box
    height = float(rows[-1] + 1 - rows[0])
    top = max(0.0, rows[0] - _INK_MARGIN * height)
    end = min(float(LINE_HEIGHT), rows[-1] + 1 + _INK_MARGIN * height)
    scale = box.height / LINE_HEIGHT
    away = ((top + end) / 2 - LINE_HEIGHT / 2) * scale
    return box._replace(
        x=box.x - sin(box.angle) * away, y=box.y + cos(box.angle) * away, height=(end - top) * scale
    )


def _is_text(line: _Line) -> bool:
    """Whether a line is sure enough; pictures without text give a few characters."""
    if line.box.score < _SURE_SCORE:
        return line.confidence >= _LEAST_DOUBTED
    return line.confidence >= (_LEAST_SQUARE if line.box.width < 1.5 * line.box.height else _LEAST_CONFIDENCE)


def _order(lines: Sequence[_Line]) -> list[list[_Line]]:
    """Rows of lines in reading order, on the page straightened by the angle of its longer lines."""
    if not lines:
        return []
    longer = sorted((line.box for line in lines), key=lambda box: -box.width)[: max(3, len(lines) // 2)]
    angle = float(np.median([box.angle for box in longer]))
    places = []
    for index, (box, _) in enumerate(lines):
        x, y = box.x * cos(angle) + box.y * sin(angle), box.y * cos(angle) - box.x * sin(angle)
        places.append(
            Place(index, x - box.width / 2, y - box.height / 2, x + box.width / 2, y + box.height / 2)
        )
    return [[lines[place.line] for place in row] for row in order_rows(places)]


def _build_region(row: Sequence[_Line], turn: int, size: tuple[int, int]) -> OcrRegion:
    """The region of a row, its boxes turned back."""
    words = [
        OcrWord(bbox=_turn_back(_corners(line.box, word), turn, size), text=word.text)
        for line in row
        for word in line.words
    ]
    left, top = (min(word.bbox[axis] for word in words) for axis in (0, 1))
    right, bottom = (max(word.bbox[axis] + word.bbox[axis + 2] for word in words) for axis in (0, 1))
    count = sum(len(word.text) for word in words)
    return OcrRegion(
        bbox=(left, top, right - left, bottom - top),
        text=" ".join(word.text for word in words),
        confidence=min(
            1.0, sum(line.confidence * sum(len(word.text) for word in line.words) for line in row) / count
        ),
        words=tuple(words),
    )


def _corners(box: TextBox, word: LineWord) -> NDArray[np.float64]:
    """The corners of a word on the page that was read, shape (4, 2)."""
    start, right, _, down = box.corners()
    along, across = (right - start) / box.width * box.height / LINE_HEIGHT, (down - start) / LINE_HEIGHT
    return np.array([
        start + along * x + across * y for x in (word.start, word.end) for y in (word.top, word.bottom)
    ])


def _turn_back(corners: NDArray[np.float64], turn: int, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """x, y, width and height on the picture as it is, inside of it."""
    width, height = size
    x, y = corners[:, 0], corners[:, 1]
    x, y = ((x, y), (width - y, x), (width - x, height - y), (y, height - x))[turn]
    left, right = (min(max(0, round(float(edge))), width) for edge in (x.min(), x.max()))
    top, bottom = (min(max(0, round(float(edge))), height) for edge in (y.min(), y.max()))
    return left, top, max(1, right - left), max(1, bottom - top)

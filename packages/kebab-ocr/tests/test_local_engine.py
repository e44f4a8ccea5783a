from pathlib import Path

import pytest
from kebab_core import ModelCorruptError, ModelMissingError, Picture
from kebab_ocr import build_local_ocr

MODELS = ("PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx", "kor.traineddata")


def test_identity_follows_the_models(tmp_path: Path) -> None:
    digests = dict.fromkeys(MODELS, "0" * 64)
    key = build_local_ocr(tmp_path, digests).identity.key
    assert build_local_ocr(tmp_path / "elsewhere", digests).identity.key == key
    assert build_local_ocr(tmp_path, {**digests, MODELS[2]: "1" * 64}).identity.key != key


def test_models_that_are_missing_or_damaged_have_their_errors(tmp_path: Path) -> None:
    white = Picture(32, 32, b"\xff" * (3 * 32 * 32))
    with pytest.raises(ModelMissingError):
        build_local_ocr(tmp_path, {}).read(white)
    for name in MODELS:
        (tmp_path / name).write_bytes(b"damaged")
    with pytest.raises(ModelCorruptError):
        build_local_ocr(tmp_path, {}).read(white)

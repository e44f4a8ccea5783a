import base64
import json
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kebab_core import Embedder, EmbeddingKind, EmbeddingSettings
from kebab_embed_local import build_embedder
from kebab_model_e5_small import files
from kebab_testing.families import sample
from numpy.typing import NDArray

if files() is None:
    pytest.skip("the model was built without weights", allow_module_level=True)

LINES = Path(__file__).parents[1].joinpath("goldens/vectors/multilingual-e5-small.jsonl")
ALL: list[dict[str, Any]] = [json.loads(line) for line in LINES.read_text("utf-8").splitlines()]
ROWS = [
    row
    for kind in EmbeddingKind
    for row in sample((row for row in ALL if row["kind"] == kind), key=itemgetter("text"))
]
pytestmark = pytest.mark.thorough


@cache
def _build(precision: str) -> Embedder:
    settings = EmbeddingSettings.model_validate({"provider": "bundled", "precision": precision})
    embedder = build_embedder(settings, models_dir=Path("models"), bundled=files())
    assert embedder is not None
    return embedder


def _texts(kind: EmbeddingKind) -> list[str]:
    return [row["text"] for row in ROWS if row["kind"] == kind]


@cache
def _in_fp32(kind: EmbeddingKind) -> NDArray[np.float32]:
    return np.asarray(_build("fp32").embed(_texts(kind), kind))


needs_vnni = pytest.mark.skipif(
    getattr(_build("auto"), "precision", None) != "int8", reason="int8 is not measured on this CPU"
)


def test_vectors_are_those_of_the_engine_that_the_weights_were_made_for() -> None:
    for kind in EmbeddingKind:
        rows = [row for row in ROWS if row["kind"] == kind]
        assert len(rows) >= 10
        expected = np.stack([np.frombuffer(base64.b64decode(row["vector"]), "<f2") for row in rows])
        lengths = np.linalg.norm(expected.astype(np.float32), axis=1)
        cosines = (_in_fp32(kind) * expected).sum(axis=1) / lengths
        assert cosines.min() >= 0.9995, kind


@needs_vnni
def test_vectors_computed_in_int8_are_near_those_in_fp32() -> None:
    for kind in EmbeddingKind:
        texts = _texts(kind)
        # as long as a passage is, up to several windows of the model
        long = ["\n".join(texts[start : start + 20]) for start in range(0, min(100, len(texts)), 20)]
        fp32 = np.vstack([_in_fp32(kind), np.asarray(_build("fp32").embed(long, kind))])
        int8 = np.asarray(_build("int8").embed([*texts, *long], kind))
        assert (fp32 * int8).sum(axis=1).min() >= 0.998, kind


@needs_vnni
def test_vector_computed_in_int8_is_the_same_whatever_stands_beside_its_text() -> None:
    texts = [row["text"] for row in ROWS]
    embedder = _build("int8")
    together = np.asarray(embedder.embed(texts, EmbeddingKind.DOCUMENT))
    alone = np.vstack([np.asarray(embedder.embed([text], EmbeddingKind.DOCUMENT)) for text in texts])
    assert (together == alone).all()

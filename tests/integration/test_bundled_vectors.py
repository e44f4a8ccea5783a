import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kebab_core import EmbeddingKind, EmbeddingSettings
from kebab_embed_local import build_embedder
from kebab_model_e5_small import files

if files() is None:
    pytest.skip("the model was built without weights", allow_module_level=True)

LINES = Path(__file__).parents[1].joinpath("goldens/vectors/multilingual-e5-small.jsonl")
ROWS: list[dict[str, Any]] = [json.loads(line) for line in LINES.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("kind", EmbeddingKind)
def test_vectors_are_those_of_the_engine_that_the_weights_were_made_for(
    kind: EmbeddingKind, tmp_path: Path
) -> None:
    embedder = build_embedder(EmbeddingSettings(provider="bundled"), models_dir=tmp_path, bundled=files())
    assert embedder is not None
    rows = [row for row in ROWS if row["kind"] == kind]
    assert len(rows) >= 100
    expected = np.stack([np.frombuffer(base64.b64decode(row["vector"]), "<f2") for row in rows])
    found = np.asarray(embedder.embed([row["text"] for row in rows], kind))
    lengths = np.linalg.norm(expected.astype(np.float32), axis=1)
    cosines = (found * expected).sum(axis=1) / lengths
    assert cosines.min() >= 0.9995

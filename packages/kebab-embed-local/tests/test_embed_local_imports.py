import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("fastembed", "httpx2", "huggingface_hub", "numpy", "onnxruntime", "tokenizers")
BUILD = """
import sys
from pathlib import Path
from kebab_core import EmbeddingSettings
from kebab_embed_local import build_embedder, find_entry, read_pulled

folder = Path(sys.argv[1])
settings = EmbeddingSettings(provider=sys.argv[2], model=folder.name, dimensions=48)
build_embedder(settings, models_dir=folder.parent)
find_entry("multilingual-e5-large"), read_pulled(folder)
print(*sorted(sys.modules.keys() & set(sys.argv[3].split())))
"""


@pytest.mark.parametrize("provider", ["fastembed", "ollama", "onnx"])
def test_embedder_that_has_embedded_nothing_has_loaded_nothing_heavy(make_model, provider: str) -> None:
    folder: Path = make_model()
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(folder), provider, " ".join(HEAVY)], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, [], "")

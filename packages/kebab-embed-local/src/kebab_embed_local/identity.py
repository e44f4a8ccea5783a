"""Which exact model it is: its name, its version, and what its files hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from blake3 import blake3
from kebab_core import EmbeddingIdentity, EmbeddingModelId, EmbeddingSettings, EmbeddingVersion

from kebab_embed_local.families import Family
from kebab_embed_local.remembered import file_stamp, keep_hashes, read_hashes

_BLOCK = 1 << 20


def embedding_identity(settings: EmbeddingSettings, model_id: str, digest: str) -> EmbeddingIdentity:
    """Return the identity of a model whose weights have this hash (hex, at least 12 digits)."""
    return EmbeddingIdentity(
        model_id=EmbeddingModelId(model_id),
        model_version=EmbeddingVersion(f"{settings.version}+{digest[:12]}"),
        dimensions=settings.dimensions,
    )


def digest_of_text(text: str) -> str:
    """Return the hash of what stands for weights that cannot be seen."""
    return blake3(text.encode("utf-8")).hexdigest()


def digest_of_files(files: Sequence[Path], *, family: Family, remembered: Path | None) -> str:
    """Return the hash of a model's files and of how they are used, hex.

    Args:
        files: All that shape a vector.
        family: Prefixes and pooling, which do so too.
        remembered: Where hashes are kept, by size, time and number of the file, so that hundreds of megabytes are
            read once and not at every start; None reads them. A folder that cannot be written is no error.

    Returns:
        64 digits.

    Raises:
        OSError: A file cannot be read.
    """
    known = read_hashes(remembered) if remembered else {}
    found = {}
    for file in sorted(files):
        stamp = file_stamp(file)
        found[stamp] = known.get(stamp) or digest_of_file(file)
    if remembered and not found.keys() <= known.keys():
        keep_hashes(remembered, {**known, **found})
    parts = [f"{file.name} {found[file_stamp(file)]}" for file in sorted(files)]
    return digest_of_text("\n".join([*parts, family.label()]))


def digest_of_file(file: Path) -> str:
    """Return the hash of one file, hex."""
    hasher = blake3()
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            hasher.update(block)
    return hasher.hexdigest()

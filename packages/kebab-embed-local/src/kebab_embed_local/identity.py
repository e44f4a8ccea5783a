"""Identity of an embedding model: name, version, and a hash of its files and of how it is used.

Hashes of files are cached by size, modification time and inode, so that hundreds of megabytes are read once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from blake3 import blake3
from kebab_core import EmbeddingIdentity, EmbeddingModelId, EmbeddingSettings, EmbeddingVersion

from kebab_embed_local.families import Family


def file_stamp(file: Path) -> str:
    """Key of a file in the hash cache: name, size, modification time and inode. Any write or replacement changes it.

    Raises:
        OSError: The file is not there.
    """
    stat = file.stat()
    return f"{file.name} {stat.st_size} {stat.st_mtime_ns} {stat.st_ino}"


def read_hash_cache(cache_file: Path) -> dict[str, str]:
    """Hashes by key; none if the cache cannot be read."""
    try:
        known = json.loads(cache_file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(stamp): str(digest) for stamp, digest in known.items()} if isinstance(known, dict) else {}


def write_hash_cache(cache_file: Path, hashes: Mapping[str, str]) -> None:
    """Write the hash cache; failures are ignored."""
    with suppress(OSError):
        cache_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with NamedTemporaryFile(
            "w", dir=cache_file.parent, prefix=".hashes-", delete=False, encoding="utf-8"
        ) as draft:
            json.dump(dict(hashes), draft)
        Path(draft.name).replace(cache_file)


def embedding_identity(settings: EmbeddingSettings, model_id: str, digest: str) -> EmbeddingIdentity:
    """Identity of a model whose weights have this hash (hex, at least 12 digits)."""
    return EmbeddingIdentity(
        model_id=EmbeddingModelId(model_id),
        model_version=EmbeddingVersion(f"{settings.version}+{digest[:12]}"),
        dimensions=settings.dimensions,
    )


def digest_of_text(text: str) -> str:
    """Hash of a text that identifies a model whose files are on a server."""
    return blake3(text.encode("utf-8")).hexdigest()


def digest_of_files(files: Sequence[Path], *, family: Family, cache_file: Path | None) -> str:
    """Hash of a model's files, prefixes and pooling, hex.

    Args:
        files: All that shape a vector.
        family: Prefixes and pooling, which do so too.
        cache_file: The hash cache, by size, time and inode of the file, so that hundreds of megabytes are read once and
            not at every start; None reads every file. A folder that cannot be written is no error.

    Returns:
        64 digits.

    Raises:
        OSError: A file cannot be read.
    """
    known = read_hash_cache(cache_file) if cache_file else {}
    found = {}
    for file in sorted(files):
        stamp = file_stamp(file)
        found[stamp] = known.get(stamp) or _digest_of_file(file)
    if cache_file and not found.keys() <= known.keys():
        write_hash_cache(cache_file, {**known, **found})
    parts = [f"{file.name} {found[file_stamp(file)]}" for file in sorted(files)]
    return digest_of_text("\n".join([*parts, family.label()]))


def _digest_of_file(file: Path) -> str:
    hasher = blake3()
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            hasher.update(block)
    return hasher.hexdigest()

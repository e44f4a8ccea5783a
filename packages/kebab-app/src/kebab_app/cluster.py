"""The cluster of an ingest: what its machines need of a knowledge base, and what they give back.

They have no part of the data folder: content goes to them with the tasks, and what they would write there comes back.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import EmbeddingKind, InvalidInputError, KebabError, Message, ModelMissingError, Remedy
from kebab_ingest import ClusterResources

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kebab_core import Embedder, EmbeddingIdentity, EmbeddingSettings, VectorMatrix
    from kebab_ingest import FileTask, Prepare, Prepared

    from kebab_app.wiring import PreparerRecipe

_SCRATCH = "kebab-worker-"
_TEXTS_PER_TASK = 16
"""Enough that sending them costs next to nothing of what the model takes for them."""


class WorkerStart(NamedTuple):
    """Resource and secret of this machine as a worker of a Ray cluster."""

    resources: dict[str, int]
    """Custom resource of Ray with its amount, by which tasks find machines with the same packages."""
    token: Path
    """File of the secret that all machines of the cluster have."""


def prepare_worker(home: Path, *, is_first: bool) -> WorkerStart:
    """Prepare this machine for a cluster; nothing is started, but the environment is set for Ray.

    Args:
        home: Home folder of the user.
        is_first: Whether it begins a cluster, with a secret, or joins one.

    Raises:
        DependencyMissingError: Ray is not installed.
        InvalidInputError: The secret of the cluster is not on this machine.
        StorageError: It cannot be written.
    """
    from kebab_config import secure_cluster
    from kebab_runtime import describe_machine, has_token, make_token

    secure_cluster()
    resources = describe_machine()
    if not is_first and not has_token(home):
        raise InvalidInputError(
            "the secret of the cluster is not on this machine",
            hint=Message("copy ~/.ray/auth_token of its first machine to the same place"),
        )
    return WorkerStart(resources, make_token(home))


def build_cluster_resources(address: str, recipe: PreparerRecipe) -> ClusterResources:
    """Build the resources by which files are prepared on a cluster."""
    from kebab_app.store import AssetFiles

    files = AssetFiles(recipe.data_dir, copy_threshold_bytes=recipe.copy_threshold_bytes)
    return ClusterResources(address=address, factory=DistantPreparerRecipe(recipe), write=files.write)


@dataclass(frozen=True)
class DistantPreparerRecipe:
    """`PreparerRecipe` for a machine that does not have the data folder."""

    recipe: PreparerRecipe

    def __call__(self) -> Prepare:
        """Make the function that prepares files in this process; what it writes is gone with each result."""
        folder = _make_scratch_folder()
        prepare_there = replace(self.recipe, data_dir=folder)()

        def prepare(task: FileTask) -> Prepared:
            prepared = prepare_there(task)
            files = [path for path in folder.rglob("*") if path.is_file()]
            written = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
            for path in files:
                path.unlink()
            return replace(prepared, written=written)

        return prepare


def _make_scratch_folder() -> Path:
    """Make the folder of this process, and delete those of processes that have ended, which they cannot do themselves."""
    folders = Path(tempfile.gettempdir())
    for former in folders.glob(f"{_SCRATCH}*"):
        try:
            os.kill(int(former.name.removeprefix(_SCRATCH).partition("-")[0]), 0)
        except (ProcessLookupError, ValueError):
            shutil.rmtree(former, ignore_errors=True)
        except PermissionError:
            pass  # of another user
    return Path(tempfile.mkdtemp(prefix=f"{_SCRATCH}{os.getpid()}-"))


class Texts(NamedTuple):
    """Texts that a machine embeds."""

    texts: Sequence[str]
    kind: EmbeddingKind


@dataclass(frozen=True)
class BundledEmbedderRecipe:
    """Everything that the bundled model depends on, as values that can be pickled for a machine of a cluster."""

    settings: EmbeddingSettings
    identity: EmbeddingIdentity

    def __call__(self) -> Callable[[Texts], bytes]:
        """Make the function that embeds texts in this process; it refuses where the machine has another model."""
        from kebab_embed_local import build_embedder
        from kebab_model_e5_small import files

        embedder = build_embedder(self.settings, models_dir=Path(), bundled=files(), stored=self.identity)

        def embed(task: Texts) -> bytes:
            if embedder is None or embedder.identity != self.identity:
                raise ModelMissingError(
                    "files of the {model} are not on this machine",
                    remedy=Remedy(kind="doctor"),
                    model=self.identity.model_id,
                )
            return embedder.embed(task.texts, task.kind).tobytes()

        return embed


@dataclass(frozen=True)
class ClusterEmbedder:
    """`Embedder` that has the texts of documents embedded on a cluster. What fails there is embedded here."""

    embedder: Embedder
    cluster: str
    """Its address."""
    recipe: BundledEmbedderRecipe

    @property
    def identity(self) -> EmbeddingIdentity:
        """The exact model."""
        return self.recipe.identity

    def verify(self) -> None:
        """Check the files of the model here.

        Raises:
            ModelCorruptError: One is damaged.
        """
        verify = getattr(self.embedder, "verify", None)  # a model need not have it
        if verify is not None:
            verify()

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        """Embed texts. See `Embedder`."""
        if kind is not EmbeddingKind.DOCUMENT or len(texts) <= _TEXTS_PER_TASK:
            return self.embedder.embed(texts, kind)
        from kebab_runtime import UNLIMITED, RayPool

        starts = range(0, len(texts), _TEXTS_PER_TASK)
        tasks = [Texts(texts[start : start + _TEXTS_PER_TASK], kind) for start in starts]
        with RayPool(self.recipe, address=self.cluster) as pool:
            rows = b"".join(
                self.embedder.embed(*task).tobytes() if isinstance(answer, KebabError) else answer
                for task, answer in zip(tasks, pool.run_all((task, UNLIMITED) for task in tasks), strict=True)
            )
        return memoryview(rows).cast("f", shape=[len(texts), self.identity.dimensions])

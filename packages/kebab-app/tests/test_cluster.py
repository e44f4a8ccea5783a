"""An ingest by workers that reach neither the files nor the data folder; here they are processes of this machine."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest
from kebab_app.cluster import BundledEmbedderRecipe, ClusterEmbedder, prepare_worker
from kebab_app.wiring import build_embedder
from kebab_core import (
    CancelToken,
    DependencyMissingError,
    EmbeddingKind,
    EmbeddingSettings,
    InternalError,
    InvalidInputError,
    KebabError,
    ReferenceStorage,
)
from kebab_ingest import LONG_FILE_BYTES, FileTask, PictureTask
from kebab_runtime import TaskLimits, WorkerPool
from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from conftest import Base

Task = TypeVar("Task")
Result = TypeVar("Result")
NOTES = 40


class DistantPool(WorkerPool[Task, Result]):
    """Worker processes to which every path of this machine means nothing."""

    def __init__(
        self,
        factory: Callable[[], Callable[[Task], Result]],
        *,
        address: str,
        cancel: CancelToken | None = None,
    ) -> None:
        assert address == "auto"
        super().__init__(factory, count=2, cancel=cancel)

    def run_all(self, tasks: Iterable[tuple[Task, TaskLimits]]) -> Iterator[Result | KebabError]:
        return super().run_all((lose_paths(task), limits) for task, limits in tasks)


def lose_paths(task: Task) -> Task:
    nowhere = "/nowhere/file"
    if isinstance(task, FileTask):
        return replace(task, entry=task.entry._replace(disk_path=nowhere))
    if isinstance(task, PictureTask):
        stored = ReferenceStorage(path=nowhere, sha=task.asset.checksum)
        return task._replace(asset=task.asset.model_copy(update={"stored": stored}))
    return task


def write_files(base: Base) -> None:
    for number in range(NOTES):
        base.write(f"{number}.md", f"# Note {number}\n\n색인 {number}은 매일 만든다.\n")
    gap = "\n" * (LONG_FILE_BYTES // 100)
    base.write("long.txt", gap.join(f"paragraph {number} of a long text" for number in range(101)))
    image = Image.new("RGB", (640, 100), "white")
    font = ImageFont.load_default(28)
    ImageDraw.Draw(image).text((20, 20), "The mooring fee is 40 euros.", font=font, fill="black")
    content = io.BytesIO()
    image.save(content, "PNG")
    base.write("fee.png", content.getvalue())
    mail = EmailMessage()
    mail["Subject"] = "Minutes"
    mail.set_content("They are attached.")
    mail.add_attachment("# Minutes\n\nAll agreed.\n", subtype="markdown", filename="minutes.md")
    base.write("mail.eml", mail.as_bytes())
    base.write("damaged.pdf", b"%PDF-1.4 nothing")


def test_what_distant_workers_read_is_stored_as_what_this_machine_reads(
    tmp_path: Path, make_base: Callable[[Path], Base], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kebab_runtime.RayPool", DistantPool)
    (tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    found, root = [], ""
    for name, cluster in (("near", ""), ("far", "auto")):
        (tmp_path / name).mkdir()
        base = make_base(tmp_path / name)
        if not root:
            root = str(base.root)
            write_files(base)
        base.configure("workspace", root=root)
        base.configure("ingest.ocr", pictures="all")
        base.configure("cluster", ray=cluster)
        run = base.ingest()
        assert run.report.ocr is not None
        assert (run.report.ocr.read, run.counts["new"], run.counts["errors"]) == (1, NOTES + 4, 1)
        found.append((sorted(base.documents()), base.chunk_ids(), base.asset_files()))
        base.close()
    assert found[0] == found[1]
    assert not [path for path in (tmp_path / "scratch").rglob("*") if path.is_file()]


def test_texts_are_embedded_as_here_and_by_this_machine_where_a_worker_cannot(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.config["models.embedding"] = {"provider": "bundled"}
    here = build_embedder(base.load())
    assert here is not None
    texts = [f"note {number}" for number in range(17)]
    expected = here.embed(texts, EmbeddingKind.DOCUMENT).tolist()

    class LosingPool(DistantPool[Task, Result]):
        """Workers of which the second is lost."""

        def run_all(self, tasks: Iterable[tuple[Task, TaskLimits]]) -> Iterator[Result | KebabError]:
            yield next(super().run_all(tasks))
            yield InternalError("a machine of the cluster was lost")

    recipe = BundledEmbedderRecipe(EmbeddingSettings(provider="bundled"), here.identity)
    monkeypatch.setattr("kebab_runtime.RayPool", LosingPool)
    there = ClusterEmbedder(here, "auto", recipe)
    assert there.embed(texts, EmbeddingKind.DOCUMENT).tolist() == expected


def test_a_worker_needs_ray_and_the_secret_of_the_cluster_that_it_joins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidInputError, match="secret of the cluster"):
        prepare_worker(tmp_path, is_first=False)
    first = prepare_worker(tmp_path, is_first=True)
    secret = first.token.read_text()
    assert (len(secret), first.token.stat().st_mode & 0o777) == (64, 0o600)
    assert prepare_worker(tmp_path, is_first=False) == first
    assert first.token.read_text() == secret
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(DependencyMissingError, match="ray"):
        prepare_worker(tmp_path, is_first=True)

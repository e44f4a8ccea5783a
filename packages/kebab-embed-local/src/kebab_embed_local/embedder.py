"""`OnnxEmbedder`: vectors from a model in this process, with its batches, windows and pooling."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, cast

from kebab_core import (
    EmbeddingIdentity,
    EmbeddingKind,
    EmbeddingSettings,
    Message,
    ModelCorruptError,
    Remedy,
    VectorMatrix,
)
from kebab_runtime import physical_cores

from kebab_embed_local.families import Family, Pooling
from kebab_embed_local.precision import have_same_weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kebab_embed_local.graph import Graph
    from kebab_embed_local.model_files import BundledFiles, FolderFiles
    from kebab_embed_local.precision import Precision
    from kebab_embed_local.tokenizer import JsonTokenizer
    from kebab_embed_local.unigram import UnigramTokenizer

_POOLED = 2
"""Dimensions of what a model gives that pools by itself."""


def pool(states: NDArray[np.float32], lengths: list[int], pooling: Pooling) -> NDArray[np.float32]:
    """Return one vector of unit length for each text.

    Args:
        states: Shape (b, t, d), or (b, d) of a model that pools by itself.
        lengths: How many of the t tokens are the text's own, at least 1; the others stand behind them.
        pooling: Which of them count.

    Returns:
        Shape (b, d).
    """
    import numpy as np

    if states.ndim == _POOLED:
        return unit_rows(states)
    if pooling is Pooling.CLS:
        return unit_rows(states[:, 0])
    if pooling is Pooling.LAST:
        return unit_rows(states[np.arange(len(lengths)), np.array(lengths) - 1])
    sums = [row[:length].sum(axis=0) for row, length in zip(states, lengths, strict=True)]
    return unit_rows(np.stack(sums))


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the vectors at unit length.

    Raises:
        ModelCorruptError: One of them has no direction: it is zero, or not of finite numbers.
    """
    import numpy as np

    norms = np.sqrt(np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64))[:, None]
    if not (np.isfinite(norms).all() and norms.all()):
        raise ModelCorruptError(
            "the embedding model gives vectors that are zero or not numbers",
            remedy=Remedy(
                advice=Message("put the files of the model there again"),
                otherwise=Remedy(
                    kind="list_stored",
                    name="models",
                    then=Remedy(kind="change_setting", setting="models.embedding.model"),
                ),
            ),
        )
    rows: NDArray[np.float32] = np.divide(vectors, norms).astype(np.float32)
    return rows


def plan_batches(lengths: Sequence[int], *, batch_tokens: int) -> list[list[int]]:
    """Group texts of like length, so that little is padded and a batch stays in the processor's cache.

    Measured (2026-11, one thread): batches of about 512 tokens reach 84 % of the core's matrix-product rate; one
    passage of 400 tokens at a time is 27 % faster than 16 of them together.

    Args:
        lengths: Tokens of each text.
        batch_tokens: How many tokens, padding included, a batch may have; a longer text is a batch of its own.

    Returns:
        Positions in `lengths`, longest first, ties in order; every one exactly once.
    """
    batches: list[list[int]] = []
    widest = 0
    for position in sorted(range(len(lengths)), key=lambda at: -lengths[at]):
        if batches and (len(batches[-1]) + 1) * widest <= batch_tokens:
            batches[-1].append(position)
        else:
            batches.append([position])
            widest = lengths[position]
    return batches


def cut_windows(tokens: Sequence[int], *, room: int) -> Iterator[Sequence[int]]:
    """Yield the tokens in pieces of at most `room`, in order, without overlap.

    There are as few pieces as can be, of equal length but for one token, so that none is a stub whose vector says
    little. No tokens are one empty piece.

    Args:
        tokens: Token ids of one text.
        room: At least 1.

    Yields:
        The pieces; together they are the tokens.
    """
    pieces = max(1, -(-len(tokens) // room))
    length, longer = divmod(len(tokens), pieces)
    start = 0
    for piece in range(pieces):
        end = start + length + (piece < longer)
        yield tokens[start:end]
        start = end


class _Window(NamedTuple):
    text: int
    """Position of the text it is cut from."""
    ids: list[int]


class Threads(NamedTuple):
    """The threads of an embedder."""

    number: int
    """How many batches go through the model at the same time. For two that costs 5 % more of the processor than one
    thread; two threads for one batch would cost 19 to 36 % more (2026-11)."""
    nice: int
    """Niceness, 0 to 19, while passages are embedded; on Linux, where a thread has one of its own."""

    @classmethod
    def of(cls, settings: EmbeddingSettings) -> Threads:
        """The threads that the settings ask for, one on each core by default."""
        return cls(settings.threads or physical_cores(), settings.nice)


class OnnxEmbedder:
    """Implements `Embedder` with onnxruntime. Nothing is loaded before the first text; threads may share it.

    A text that is longer than the model's window is cut into windows of equal length without overlap; each begins as
    the text does, with the family's prefix, and the text's vector is the mean of theirs, weighted by tokens.

    Args:
        identity: The exact model.
        family: How it is used.
        files: Its files.
        graphs: The model for texts of each kind; it runs on one thread.
        threads: The threads that batches go through it on.
        window_tokens: What the model reads at once, head and tail included.
        batch_tokens: What goes through it together; a graph without a mask gets one text at a time.
    """

    def __init__(
        self,
        identity: EmbeddingIdentity,
        *,
        family: Family,
        files: BundledFiles | FolderFiles,
        graphs: Mapping[EmbeddingKind, Graph],
        threads: Threads,
        window_tokens: int,
        batch_tokens: int,
    ) -> None:
        self.identity = identity
        self._family = family
        self._files = files
        self._tokenizer: JsonTokenizer | UnigramTokenizer | None = None
        self._lock = Lock()
        self._graphs = graphs
        self._threads = threads
        self._window_tokens = window_tokens
        self._batch_tokens = batch_tokens

    def verify(self) -> None:
        """Read every byte of its files.

        Raises:
            ModelCorruptError: One has changed.
        """
        self._files.verify()

    @property
    def precision(self) -> Precision | None:
        """Precision of the matrix products of passages; None if it is not known."""
        return self._graphs[EmbeddingKind.DOCUMENT].file.precision

    def for_queries_over(self, identity: EmbeddingIdentity) -> OnnxEmbedder | None:
        """Return this embedder for queries over the vectors of a model; None unless both differ in precision alone."""
        if not have_same_weights(self.identity, identity):
            return None
        other = copy(self)
        other.identity = identity
        return other

    def prepare(self) -> None:
        """Begin to load the model of queries beside other work; the first text waits for it.

        Raises:
            ModelMissingError: Files of the model are not here.
            ModelCorruptError: They are damaged. What cannot be loaded is told by the first text.
        """
        self._loaded_tokenizer()
        self._graphs[EmbeddingKind.QUERY].prepare()

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        """Return one unit vector for each text, in order.

        Raises:
            DependencyMissingError: A library that this model needs is not installed.
            ModelMissingError: Files of the model are not here.
            ModelCorruptError: They are damaged, or give vectors that are none.
        """
        if not texts:
            return memoryview(b"").cast("f")
        import numpy as np

        graph = self._graphs[kind]
        windows = self._windows(texts, kind)
        sums = np.zeros((len(texts), self.identity.dimensions), dtype=np.float32)
        lengths = [len(window.ids) for window in windows]
        # padding without a mask would change vectors
        batches = plan_batches(lengths, batch_tokens=self._batch_tokens if graph.has_mask else 1)
        nice = self._threads.nice if kind is EmbeddingKind.DOCUMENT and sys.platform == "linux" else 0
        batched = [[windows[at].ids for at in batch] for batch in batches]
        results = self._run_all(partial(self._run, graph), batched, nice=nice)
        for batch, vectors in zip(batches, results, strict=True):
            for at, vector in zip(batch, vectors, strict=True):
                sums[windows[at].text] += vector * lengths[at]
        matrix = unit_rows(sums)
        matrix.flags.writeable = False
        return cast("VectorMatrix", matrix.data)

    def _windows(self, texts: Sequence[str], kind: EmbeddingKind) -> list[_Window]:
        tokenizer = self._loaded_tokenizer()
        prefix = self._family.prefix(kind)
        head, tail = list(tokenizer.head), list(tokenizer.tail)
        told = tokenizer.encode([prefix.rstrip(" "), *(readable(prefix + text) for text in texts)])
        windows = []
        for text, ids in enumerate(told[1:]):
            opening = told[0] if ids[: len(told[0])] == told[0] else []
            own = ids[len(opening) :]
            room = max(1, self._window_tokens - len(head) - len(tail) - len(opening))
            windows += [
                _Window(text, (head + opening + list(piece) + tail) or [tokenizer.pad])
                for piece in cut_windows(own, room=room)
            ]
        return windows

    def _run_all(
        self,
        run: Callable[[list[list[int]]], NDArray[np.float32]],
        batches: list[list[list[int]]],
        *,
        nice: int,
    ) -> list[NDArray[np.float32]]:
        workers = min(self._threads.number, len(batches))
        if workers == 1 and not nice:
            return [run(batch) for batch in batches]
        from concurrent.futures import ThreadPoolExecutor

        # threads that end with the call: without privileges no thread gets back the niceness that it had
        pool = ThreadPoolExecutor(
            workers, thread_name_prefix="embed", initializer=_raise_niceness, initargs=(nice,)
        )
        try:
            return list(pool.map(run, batches))
        finally:
            pool.shutdown(cancel_futures=True)

    def _run(self, graph: Graph, texts: list[list[int]]) -> NDArray[np.float32]:
        import numpy as np

        lengths = [len(ids) for ids in texts]
        ids = np.full((len(texts), max(lengths)), self._loaded_tokenizer().pad, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, own in enumerate(texts):
            ids[row, : len(own)] = own
            mask[row, : len(own)] = 1
        states = graph.run(ids, mask)
        self._check_shape(states.shape, ids.shape)
        return pool(states, lengths, self._family.pooling)

    def _check_shape(self, found: tuple[int, ...], given: tuple[int, ...]) -> None:
        dimensions = self.identity.dimensions
        if found not in {(*given, dimensions), (given[0], dimensions)}:
            raise ModelCorruptError(
                "the embedding model gives {found} for {given} tokens, not vectors of {expected} numbers",
                remedy=Remedy(
                    kind="set", setting="models.embedding.dimensions", value=found[-1] if found else None
                ),
                dimensions=found[-1] if found else 0,
                expected=dimensions,
                _found=str(found),
                _given=str(given),
            )

    def _loaded_tokenizer(self) -> JsonTokenizer | UnigramTokenizer:
        with self._lock:
            if self._tokenizer is None:
                self._tokenizer = self._files.read_tokenizer()
        return self._tokenizer


def _raise_niceness(nice: int) -> None:
    """Give this thread a niceness, unless it has a higher one."""
    thread = threading.get_native_id()
    if nice > os.getpriority(os.PRIO_PROCESS, thread):
        os.setpriority(os.PRIO_PROCESS, thread, nice)


def readable(text: str) -> str:
    """Return the text without halves of surrogate pairs, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")

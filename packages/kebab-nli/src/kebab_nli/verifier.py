"""`OnnxNliVerifier`: entailment by a model in this process, with its windows and batches."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from kebab_core import (
    ContextOverflowError,
    Entailment,
    ModelCorruptError,
    ModelMissingError,
    ModelRef,
    Remedy,
)
from kebab_runtime import mapped_onnx_errors, open_session, physical_cores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LABELS = ("entailment", "neutral", "contradiction")
"""Fields of `Entailment`."""
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_MODEL = "entailment model"
_OVERLAP = 16
"""A window repeats one of so many of its tokens from the window before, so that a sentence is whole in one of them."""
_LEAST_ROOM = 8
"""A premise has at least one of so many tokens of a window."""
_BATCH_TOKENS = 512


class _Window(NamedTuple):
    pair: int
    """Position of the pair that it is cut from."""
    ids: list[int]
    types: list[int]


class OnnxNliVerifier:
    """Implements `NliVerifier` with onnxruntime. Nothing is loaded before the first pair; threads may share it.

    A premise that is longer than the window is read in several windows with the whole hypothesis; that with the highest
    entailment counts.

    Args:
        name: Of the model.
        graph: The ONNX file; external data lies beside it.
        tokenizer: Its `tokenizer.json`.
        labels: The meaning of each number that the graph gives, a permutation of `LABELS`.
        window_tokens: What the model reads at once.
        pad: Token that fills a batch up.
        remedy: Remedy where a file is missing or damaged.
    """

    def __init__(
        self,
        name: str,
        *,
        graph: Path,
        tokenizer: Path,
        labels: tuple[str, ...],
        window_tokens: int,
        pad: int,
        remedy: Remedy,
    ) -> None:
        self._name = name
        self._graph = graph
        self._tokenizer_file = tokenizer
        self._labels = labels
        self._window_tokens = window_tokens
        self._pad = pad
        self._remedy = remedy
        self._lock = Lock()
        self._session: Any = None
        self._tokenizer: Any = None

    def model_ref(self) -> ModelRef:
        """Return name and provider of the model."""
        return ModelRef(id=self._name, provider="onnx")

    def verify(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Return the entailment of the hypothesis by the premise for each pair of them, in order.

        Raises:
            ContextOverflowError: A hypothesis leaves no room for a premise.
            ModelMissingError: A file of the model is not here.
            ModelCorruptError: The model is damaged, or gives other numbers than three probabilities.
        """
        if not pairs:
            return []
        self._load()
        windows = self._cut(pairs)
        batches = _plan_batches(windows)
        with ThreadPoolExecutor(min(len(batches), physical_cores()), thread_name_prefix="entailment") as pool:
            results = list(pool.map(self._run, batches))
        best: list[Entailment | None] = [None] * len(pairs)
        for batch, rows in zip(batches, results, strict=True):
            for window, row in zip(batch, rows, strict=True):
                found = Entailment(**dict(zip(self._labels, row, strict=True)))
                former = best[window.pair]
                if former is None or found.entailment > former.entailment:
                    best[window.pair] = found
        return [found for found in best if found is not None]

    def _load(self) -> None:
        """Load graph and tokenizer, once.

        Raises:
            ModelMissingError: A file is not there.
            ModelCorruptError: It cannot be loaded, or the graph has other inputs than models of pairs.
        """
        with self._lock:
            if self._session is not None:
                return
            self._tokenizer = self._read_tokenizer()
            if not self._graph.is_file():
                raise ModelMissingError(
                    "the weights of the {model} are not here",
                    remedy=self._remedy,
                    file=str(self._graph),
                    _model=_MODEL,
                )
            with mapped_onnx_errors(self._graph, model=_MODEL, remedy=self._remedy):
                session = open_session(self._graph)
            if unknown := sorted({each.name for each in session.get_inputs()} - _INPUTS):
                raise ModelCorruptError(
                    "the entailment model asks for inputs that it is not given: {unknown}",
                    remedy=self._remedy,
                    file=str(self._graph),
                    _unknown=", ".join(unknown),
                )
            self._session = session

    def _read_tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        file = self._tokenizer_file
        try:
            tokenizer = Tokenizer.from_str(file.read_text("utf-8"))
        except OSError as error:
            raise ModelMissingError(
                "the tokenizer of the entailment model is not here", remedy=self._remedy, file=str(file)
            ) from error
        except Exception as error:  # the library raises plain `Exception` for whatever it cannot parse
            raise ModelCorruptError(
                "the tokenizer of the entailment model is damaged", remedy=self._remedy, file=str(file)
            ) from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(
            self._window_tokens, stride=self._window_tokens // _OVERLAP, strategy="only_first"
        )
        return tokenizer

    def _cut(self, pairs: Sequence[tuple[str, str]]) -> list[_Window]:
        """Cut pairs into windows of tokens.

        Raises:
            ContextOverflowError: A hypothesis leaves no room for a premise.
        """
        special = self._tokenizer.num_special_tokens_to_add(is_pair=True)
        room = self._window_tokens - special - self._window_tokens // _LEAST_ROOM
        readable = [(_readable(premise), _readable(hypothesis)) for premise, hypothesis in pairs]
        for _, hypothesis in readable:
            alone = self._tokenizer.encode(hypothesis, add_special_tokens=False)
            tokens = len(alone.ids) + sum(len(each.ids) for each in alone.overflowing)
            if tokens > room:
                raise ContextOverflowError(
                    "a sentence of {tokens} tokens is too long for the entailment model, which takes {room}",
                    tokens=tokens,
                    room=room,
                )
        windows = []
        for number, encoding in enumerate(self._tokenizer.encode_batch(readable)):
            windows += [
                _Window(number, each.ids, each.type_ids) for each in (encoding, *encoding.overflowing)
            ]
        return windows

    def _run(self, windows: Sequence[_Window]) -> list[list[float]]:
        """Return the probabilities of each window, in the order of the labels.

        Raises:
            ModelCorruptError: The model does not give three numbers for each.
        """
        import numpy as np

        shape = (len(windows), max(len(each.ids) for each in windows))
        ids = np.full(shape, self._pad, dtype=np.int64)
        mask, types = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        for row, window in enumerate(windows):
            length = len(window.ids)
            ids[row, :length], mask[row, :length], types[row, :length] = window.ids, 1, window.types
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        wanted = {each.name: given[each.name] for each in self._session.get_inputs()}
        with mapped_onnx_errors(self._graph, model=_MODEL, remedy=self._remedy):
            logits = np.asarray(self._session.run(None, wanted)[0], dtype=np.float64)
        if logits.shape != (len(windows), len(LABELS)) or not np.isfinite(logits).all():
            raise ModelCorruptError(
                "the entailment model gives other results than three numbers for each pair",
                remedy=self._remedy,
                file=str(self._graph),
            )
        return _softmax(logits).tolist()  # type: ignore[no-any-return]  # a matrix is a list of lists


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return shares


def _plan_batches(windows: Sequence[_Window]) -> list[list[_Window]]:
    """Group windows of like length, so that little is padded."""
    batches: list[list[_Window]] = []
    for window in sorted(windows, key=lambda each: -len(each.ids)):
        if batches and (len(batches[-1]) + 1) * len(batches[-1][0].ids) <= _BATCH_TOKENS:
            batches[-1].append(window)
        else:
            batches.append([window])
    return batches


def _readable(text: str) -> str:
    """Return the text without halves of surrogate pairs, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")

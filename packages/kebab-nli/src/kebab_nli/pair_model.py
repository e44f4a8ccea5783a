"""`PairModel`: a model in this process that reads two texts together, with its tokenizer, windows and batches.

Over it stand entailment, `OnnxNliVerifier`, and the scores of a cross-encoder, `OnnxReranker`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from kebab_core import (
    CancelToken,
    ContextOverflowError,
    Entailment,
    Message,
    ModelCorruptError,
    ModelMissingError,
    ModelRef,
    Remedy,
)
from kebab_runtime import mapped_onnx_errors, open_session, physical_cores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_OVERLAP = 16
"""A window repeats one of so many of its tokens from the window before, so that a sentence is whole in one of them."""
_LEAST_ROOM = 8
"""The text that is cut has at least one of so many tokens of a window."""

_QUERY_SHARE = 4
"""A query has at most one of so many tokens, so that a passage of usual length is read in one window."""

LABELS = ("entailment", "neutral", "contradiction")
"""Fields of `Entailment`."""
_BATCH_TOKENS = 512


class _Window(NamedTuple):
    pair: int
    """Position of the pair that it is cut from."""
    ids: list[int]
    types: list[int]


class PairModel:
    """A model of text pairs. Nothing is loaded before the first pair; threads may share it.

    Args:
        role: Its name in messages.
        graph: The ONNX file; external data lies beside it.
        tokenizer: Its `tokenizer.json`.
        window_tokens: Tokens that the model reads at once.
        pad: Token that fills a batch up.
        cut: The text of a pair that is read in windows where both are too long, each with the whole other one.
        outputs: Numbers that the graph gives for each pair.
        remedy: Remedy where a file is missing or damaged.
    """

    def __init__(
        self,
        role: Message,
        *,
        graph: Path,
        tokenizer: Path,
        window_tokens: int,
        pad: int,
        cut: Literal["first", "second"],
        outputs: int,
        remedy: Remedy,
    ) -> None:
        self._role = role
        self._graph = graph
        self._tokenizer_file = tokenizer
        self._window_tokens = window_tokens
        self._pad = pad
        self._cut_text = cut
        self._outputs = outputs
        self._remedy = remedy
        self._lock = Lock()
        self._session: Any = None
        self._tokenizer: Any = None

    @property
    def room(self) -> int:
        """Most tokens of the text that is not cut."""
        self._load()
        special: int = self._tokenizer.num_special_tokens_to_add(is_pair=True)
        return self._window_tokens - special - self._window_tokens // _LEAST_ROOM

    def count(self, text: str) -> int:
        """Return the number of tokens of a text alone."""
        return sum(len(part.ids) for part in self._encode_alone(text))

    def clip(self, text: str, tokens: int) -> str:
        """Return the longest beginning of a text that has at most so many tokens, which are at most `room`."""
        first, *others = self._encode_alone(text)
        readable = _readable(text)
        return readable[: first.offsets[tokens - 1][1]] if others or len(first.ids) > tokens else readable

    def _encode_alone(self, text: str) -> list[Any]:
        self._load()
        # The tokenizer refuses to cut a text of another place than that of the windows.
        pair = (_readable(text), "") if self._cut_text == "first" else ("", _readable(text))
        whole = self._tokenizer.encode(*pair, add_special_tokens=False)
        return [whole, *whole.overflowing]

    def read(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        batch_tokens: int,
        cancel: CancelToken | None = None,
    ) -> list[NDArray[np.float64]]:
        """Return the numbers of each pair, in order: of shape (w, `outputs`) for its w windows, at least one.

        Args:
            pairs: The texts; of each pair the one that is not cut has at most `room` tokens.
            batch_tokens: Most tokens of windows that run together; 1 runs each alone, so that no number depends on the pairs
                beside it, as it may with weights in 8 bits.
            cancel: Looked at before each batch.

        Raises:
            ModelMissingError: A file of the model is not here.
            ModelCorruptError: The model is damaged, or gives another number of results.
            WorkCancelledError: It was cancelled.
        """
        import numpy as np

        if not pairs:
            return []
        self._load()
        batches = _plan_batches(self._cut(pairs), batch_tokens)

        def run(batch: Sequence[_Window]) -> NDArray[np.float64]:
            if cancel is not None:
                cancel.raise_if_cancelled()
            return self._run(batch)

        with ThreadPoolExecutor(min(len(batches), physical_cores()), thread_name_prefix="text-pairs") as pool:
            results = list(pool.map(run, batches))
        rows: list[list[NDArray[np.float64]]] = [[] for _ in pairs]
        for batch, numbers in zip(batches, results, strict=True):
            for window, row in zip(batch, numbers, strict=True):
                rows[window.pair].append(row)
        return [np.stack(each) for each in rows]

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
                    _model=self._role,
                )
            with mapped_onnx_errors(self._graph, model=self._role, remedy=self._remedy):
                session = open_session(self._graph)
            if unknown := sorted({each.name for each in session.get_inputs()} - _INPUTS):
                raise ModelCorruptError(
                    "the {model} asks for inputs that it is not given: {unknown}",
                    remedy=self._remedy,
                    file=str(self._graph),
                    _model=self._role,
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
                "the tokenizer of the {model} is not here",
                remedy=self._remedy,
                file=str(file),
                _model=self._role,
            ) from error
        except Exception as error:  # the library raises plain `Exception` for whatever it cannot parse
            raise ModelCorruptError(
                "the tokenizer of the {model} is damaged",
                remedy=self._remedy,
                file=str(file),
                _model=self._role,
            ) from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(
            self._window_tokens, stride=self._window_tokens // _OVERLAP, strategy=f"only_{self._cut_text}"
        )
        return tokenizer

    def _cut(self, pairs: Sequence[tuple[str, str]]) -> list[_Window]:
        """Cut pairs into windows of tokens."""
        readable = [(_readable(first), _readable(second)) for first, second in pairs]
        return [
            _Window(number, each.ids, each.type_ids)
            for number, encoding in enumerate(self._tokenizer.encode_batch(readable))
            for each in (encoding, *encoding.overflowing)
        ]

    def _run(self, windows: Sequence[_Window]) -> NDArray[np.float64]:
        """Return the numbers of each window, of shape (n, `outputs`).

        Raises:
            ModelCorruptError: The model does not give so many for each.
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
        with mapped_onnx_errors(self._graph, model=self._role, remedy=self._remedy):
            numbers = np.asarray(self._session.run(None, wanted)[0], dtype=np.float64)
        if numbers.shape != (len(windows), self._outputs) or not np.isfinite(numbers).all():
            raise ModelCorruptError(
                "the {model} gives another number of results for a pair than {count}, or results that are not finite",
                remedy=self._remedy,
                file=str(self._graph),
                _model=self._role,
                _count=self._outputs,
            )
        return numbers


def _plan_batches(windows: Sequence[_Window], batch_tokens: int) -> list[list[_Window]]:
    """Group windows of like length, so that little is padded."""
    batches: list[list[_Window]] = []
    for window in sorted(windows, key=lambda each: -len(each.ids)):
        if batches and (len(batches[-1]) + 1) * len(batches[-1][0].ids) <= batch_tokens:
            batches[-1].append(window)
        else:
            batches.append([window])
    return batches


def _readable(text: str) -> str:
    """Return the text without halves of surrogate pairs, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


class OnnxReranker:
    """Implements `Reranker` with onnxruntime. Nothing is loaded before the first pair; threads may share it.

    A score is the logistic of the number that the graph gives, the greatest of all windows of a long passage.

    Args:
        name: Of the model.
        model: Reads query and passage, of which it cuts the second, and gives one number.
    """

    def __init__(self, name: str, *, model: PairModel) -> None:
        self._name = name
        self._model = model

    def model_ref(self) -> ModelRef:
        """Return name and provider of the model."""
        return ModelRef(id=self._name, provider="onnx")

    def score(self, query: str, passages: Sequence[str], *, cancel: CancelToken | None = None) -> list[float]:
        """Return a score in [0, 1] for each passage, in order. See `Reranker`."""
        if not passages:
            return []
        asked = self._model.clip(query, self._model.room // _QUERY_SHARE)
        found = self._model.read([(asked, passage) for passage in passages], batch_tokens=1, cancel=cancel)
        return [_logistic(float(logits.max())) for logits in found]


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))


class OnnxNliVerifier:
    """Implements `NliVerifier` with onnxruntime. Nothing is loaded before the first pair; threads may share it.

    A premise that is longer than the window is read in several windows with the whole hypothesis; that with the highest
    entailment counts.

    Args:
        name: Of the model.
        model: Reads premise and hypothesis, of which it cuts the first.
        labels: The meaning of each number that the graph gives, a permutation of `LABELS`.
    """

    def __init__(self, name: str, *, model: PairModel, labels: tuple[str, ...]) -> None:
        self._name = name
        self._model = model
        self._labels = labels

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
        import numpy as np

        for _, hypothesis in pairs:
            tokens = self._model.count(hypothesis)
            if tokens > self._model.room:
                raise ContextOverflowError(
                    "a sentence of {tokens} tokens is too long for the entailment model, which takes {room}",
                    tokens=tokens,
                    room=self._model.room,
                )
        found = []
        for logits in self._model.read(pairs, batch_tokens=_BATCH_TOKENS):
            powers = np.exp(logits - logits.max(axis=1, keepdims=True))
            windows = (powers / powers.sum(axis=1, keepdims=True)).tolist()
            each = [Entailment(**dict(zip(self._labels, row, strict=True))) for row in windows]
            found.append(max(each, key=lambda one: one.entailment))
        return found

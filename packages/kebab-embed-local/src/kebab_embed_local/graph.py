"""The graph of an embedding model, run by onnxruntime."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from kebab_core import KebabError, ModelCorruptError, ModelMissingError, Remedy
from kebab_runtime import load_onnxruntime, mapped_onnx_errors, open_session

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FAMILIAR_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_STATES = ("last_hidden_state", "token_embeddings", "sentence_embedding")
_MODEL = "embedding model"


class Graph:
    """One ONNX file, loaded when it is first run. A run takes one thread; several threads may run it at once.

    Args:
        path: The file; its external data lies beside it.
        remedy: Remedy where the file is missing or damaged.
    """

    def __init__(self, path: Path, *, remedy: Remedy) -> None:
        self.path = path
        self._remedy = remedy
        self._session: Any = None
        self._lock = Lock()

    def run(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """States of the tokens, shape (b, t, d), or vectors of the texts, shape (b, d), float32.

        Args:
            ids: Token ids, shape (b, t).
            mask: 1 where a token is the text's own.

        Raises:
            ModelMissingError: The file is not there.
            ModelCorruptError: It cannot be loaded or run.
        """
        import numpy as np

        session = self._loaded()
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        feed = {
            each.name: given[each.name].astype(
                "int32" if each.type == "tensor(int32)" else "int64", copy=False
            )
            for each in session.get_inputs()
        }
        names: list[str] = [each.name for each in session.get_outputs()]
        output = next((name for name in _STATES if name in names), names[0])
        with mapped_onnx_errors(self.path, model=_MODEL, remedy=self._remedy):
            (states,) = session.run([output], feed)
        return np.asarray(states, dtype=np.float32)

    def prepare(self) -> None:
        """Begin to load the file on a thread of its own; a run waits for it, and tells what went wrong."""
        if self._session is not None:
            return
        with suppress(ImportError):
            load_onnxruntime()  # here: loading modules would hold this thread up all the same
            Thread(target=self._load_ahead, name="load-model").start()

    def _load_ahead(self) -> None:
        with suppress(KebabError):
            self._loaded()

    def _loaded(self) -> Any:
        with self._lock:
            if self._session is None:
                self._session = self._load()
        return self._session

    def _load(self) -> Any:
        if not self.path.is_file():
            raise ModelMissingError(
                "the weights of the {model} are not here",
                remedy=self._remedy,
                file=str(self.path),
                _model=_MODEL,
            )
        with mapped_onnx_errors(self.path, model=_MODEL, remedy=self._remedy):
            session = open_session(self.path)
        unknown = sorted({each.name for each in session.get_inputs()} - _FAMILIAR_INPUTS)
        if unknown:
            raise ModelCorruptError(
                "the model asks for inputs that text embedders do not have: {unknown}",
                remedy=self._remedy,
                file=str(self.path),
                _unknown=", ".join(unknown),
            )
        return session

"""The graph of an embedding model, run by onnxruntime."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from kebab_core import KebabError, ModelCorruptError, ModelMissingError, Remedy
from kebab_runtime import load_onnxruntime, mapped_onnx_errors, open_session

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kebab_embed_local.precision import Precision

_FAMILIAR_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
_STATES = ("last_hidden_state", "token_embeddings", "sentence_embedding")
_MODEL = "embedding model"


class GraphFile(NamedTuple):
    """An ONNX file; its external data lies beside it."""

    path: Path
    precision: Precision | None = None
    """Precision of its matrix products; None if it is not known."""


class Graph:
    """One ONNX file, loaded when it is first run. A run takes one thread; several threads may run it at once.

    Args:
        file: The file.
        remedy: Remedy where it is missing or damaged.
    """

    def __init__(self, file: GraphFile, *, remedy: Remedy) -> None:
        self.file = file
        self._remedy = remedy
        self._session: Any = None
        self._lock = Lock()

    @property
    def has_mask(self) -> bool:
        """True if texts of unequal lengths may be run together. Loads the file.

        Raises:
            ModelMissingError: The file is not there.
            ModelCorruptError: It cannot be loaded.
        """
        return "attention_mask" in {each.name for each in self._loaded().get_inputs()}

    def run(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """States of the tokens, shape (b, t, d), or vectors of the texts, shape (b, d), float32.

        Args:
            ids: Token ids, shape (b, t).
            mask: 1 where a token is the text's own; all of them where the graph has no mask.

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
        with mapped_onnx_errors(self.file.path, model=_MODEL, remedy=self._remedy):
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
                self._session = self._open(self.file.path)
        return self._session

    def _open(self, path: Path) -> Any:
        if not path.is_file():
            raise ModelMissingError(
                "the weights of the {model} are not here",
                remedy=self._remedy,
                file=str(path),
                _model=_MODEL,
            )
        with mapped_onnx_errors(path, model=_MODEL, remedy=self._remedy):
            session = open_session(path)
        unknown = sorted({each.name for each in session.get_inputs()} - _FAMILIAR_INPUTS)
        if unknown:
            raise ModelCorruptError(
                "the model asks for inputs that text embedders do not have: {unknown}",
                remedy=self._remedy,
                file=str(path),
                _unknown=", ".join(unknown),
            )
        return session

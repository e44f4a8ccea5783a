"""The catalogue of embedding models that can be pulled by name."""

from __future__ import annotations

from typing import Any, NamedTuple

from kebab_core import DependencyMissingError, InvalidInputError, Remedy
from kebab_runtime import disable_telemetry

from kebab_embed_local.tokenizer import INSTALL_FASTEMBED


class CatalogueEntry(NamedTuple):
    """One model of a hub.

    There are no hashes here: a hub lists those of its files, and every file is checked against them when it is pulled.
    """

    name: str
    """Name in the settings, and of its folder below the models folder."""
    repository: str
    graph: str = "model.onnx"
    """Path of the graph in the repository."""
    graph_parts: tuple[str, ...] = ()
    """Paths of its external data."""
    dimensions: int = 0
    megabytes: int = 0
    """Approximate size of the download; 0 if unknown."""
    licence: str = "see the model's card"

    @property
    def required(self) -> tuple[str, ...]:
        """Paths of the files that the model does not run without."""
        return (self.graph, *self.graph_parts, "tokenizer.json")

    @property
    def optional(self) -> tuple[str, ...]:
        """Paths of the files that describe it."""
        return (
            "config.json",
            "tokenizer_config.json",
            "special_tokens_map.json",
            "1_Pooling/config.json",
            "LICENSE",
            "README.md",
        )


CATALOGUE = (
    CatalogueEntry(
        "multilingual-e5-large",
        "Qdrant/multilingual-e5-large-onnx",
        graph_parts=("model.onnx_data",),
        dimensions=1024,
        megabytes=2240,
        licence="MIT",
    ),
    CatalogueEntry(
        "multilingual-e5-small",
        "intfloat/multilingual-e5-small",
        graph="onnx/model.onnx",
        dimensions=384,
        megabytes=490,
        licence="MIT",
    ),
)
"""Best first. Repositories and sizes are those that their owners state."""


def find_entry(name: str) -> CatalogueEntry:
    """The model of a name, which may be written with its owner before a slash.

    Others than those of the catalogue are looked up in the list of fastembed.

    Raises:
        InvalidInputError: There is no such model.
        DependencyMissingError: It is not in the catalogue, and fastembed is not installed.
    """
    return known_entry(name) or _find_in_fastembed(name)


def known_entry(name: str) -> CatalogueEntry | None:
    """The model of the catalogue with a name, which may be written with its owner before a slash."""
    short = name.rpartition("/")[2]
    return next((entry for entry in CATALOGUE if entry.name == short), None)


def _find_in_fastembed(name: str) -> CatalogueEntry:
    disable_telemetry()
    try:
        from fastembed import TextEmbedding
    except ImportError as error:
        known = ", ".join(entry.name for entry in CATALOGUE)
        raise DependencyMissingError(
            "kebab itself knows {known}; for {name!r} it asks the list of fastembed",
            remedy=INSTALL_FASTEMBED,
            package="fastembed",
            _known=known,
            _name=name,
        ) from error
    listed: list[dict[str, Any]] = TextEmbedding.list_supported_models()
    for model in listed:
        if name.lower() in {str(model["model"]).lower(), str(model["model"]).rpartition("/")[2].lower()}:
            return _from_fastembed(model)
    raise InvalidInputError(
        "there is no embedding model {name!r}",
        remedy=Remedy(kind="list_stored", name="models"),
        known=[entry.name for entry in CATALOGUE],
        _name=name,
    )


def _from_fastembed(model: dict[str, Any]) -> CatalogueEntry:
    repository = model["sources"].get("hf")
    if not repository:
        raise InvalidInputError(
            "{model!r} is not kept on a hub that can be asked for hashes", _model=model["model"]
        )
    return CatalogueEntry(
        str(model["model"]).rpartition("/")[2],
        str(repository),
        graph=str(model["model_file"]),
        graph_parts=tuple(model.get("additional_files") or ()),
        dimensions=int(model["dim"]),
        megabytes=round(float(model["size_in_GB"]) * 1000),
        licence=str(model["license"]),
    )

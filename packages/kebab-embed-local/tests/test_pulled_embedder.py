import sys
from pathlib import Path

import numpy as np
import pytest
from kebab_core import (
    ConfigInvalidError,
    DependencyMissingError,
    EmbeddingKind,
    EmbeddingSettings,
    ModelMissingError,
    Remedy,
)
from kebab_embed_local import build_embedder, folder as model_folder

SETTINGS = EmbeddingSettings(provider="fastembed", model="multilingual-e5-large", dimensions=48, threads=1)


@pytest.mark.parametrize("model", ["multilingual-e5-large", "intfloat/multilingual-e5-large"])
def test_pulled_model_is_used_with_the_prefixes_of_its_family(make_model, words, model: str) -> None:
    folder = make_model("multilingual-e5-large")
    embedder = build_embedder(SETTINGS.model_copy(update={"model": model}), models_dir=folder.parent)
    assert embedder is not None
    assert embedder.identity.model_id == "multilingual-e5-large"
    total = np.sum([words[word] for word in ("<s>", "query", ":", "cat", "</s>")], axis=0)
    (found,) = np.asarray(embedder.embed(["cat"], EmbeddingKind.QUERY))
    assert found == pytest.approx(total / np.linalg.norm(total), abs=1e-5)


def test_folder_as_the_hubs_own_tools_keep_it_is_found(make_model, tmp_path: Path) -> None:
    snapshot = tmp_path / "cache" / "models--Qdrant--multilingual-e5-large-onnx" / "snapshots" / "abc"
    snapshot.parent.mkdir(parents=True)
    make_model("multilingual-e5-large").rename(snapshot)
    embedder = build_embedder(SETTINGS, models_dir=tmp_path / "cache")
    assert embedder is not None
    assert embedder.embed(["cat"], EmbeddingKind.DOCUMENT).shape == (1, 48)


def test_model_that_was_not_pulled_comes_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError) as caught:
        build_embedder(SETTINGS.model_copy(update={"dimensions": 1024}), models_dir=tmp_path)
    assert caught.value.remedy == Remedy(kind="pull_model", name="multilingual-e5-large")


def test_dimensions_that_do_not_fit_are_told_before_two_gigabytes_are_pulled(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalidError) as caught:
        build_embedder(SETTINGS, models_dir=tmp_path)
    assert caught.value.details["key"] == "models.embedding.dimensions"
    assert caught.value.remedy == Remedy(
        kind="set",
        setting="models.embedding.dimensions",
        value=1024,
        then=Remedy(kind="pull_model", name="multilingual-e5-large"),
    )


def test_model_of_a_name_that_kebab_does_not_know_is_looked_for_in_the_lists_first(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError) as caught:
        build_embedder(SETTINGS.model_copy(update={"model": "no-such-model"}), models_dir=tmp_path)
    assert caught.value.remedy == Remedy(
        kind="list_stored", name="models", then=Remedy(kind="pull_model", name="no-such-model")
    )


def test_provider_without_its_packages_names_the_one_that_is_published(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(model_folder, "find_spec", lambda name: None)
    with pytest.raises(DependencyMissingError) as caught:
        build_embedder(SETTINGS, models_dir=tmp_path)
    assert caught.value.remedy == Remedy(
        kind="install_packages", name="tokenizers>=0.22,<1", value="kebab-embed-local[onnx]"
    )


def test_folder_without_its_packages_names_the_one_that_is_published(
    make_model, onnx_settings, monkeypatch
) -> None:
    folder = make_model()
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    embedder = build_embedder(onnx_settings(), models_dir=folder.parent)
    assert embedder is not None
    with pytest.raises(DependencyMissingError) as caught:
        embedder.embed(["cat"], EmbeddingKind.DOCUMENT)
    assert caught.value.remedy == Remedy(
        kind="install_packages", name="tokenizers>=0.22,<1", value="kebab-embed-local[onnx]"
    )

import os
from pathlib import Path

import pytest
from kebab_core import EmbeddingIdentity, EmbeddingKind, ModelCorruptError
from kebab_embed_local import build_embedder
from kebab_embed_local.families import family_of
from kebab_embed_local.identity import digest_of_files


@pytest.fixture
def identity(onnx_settings):
    def read(folder: Path, **changes: object) -> EmbeddingIdentity:
        embedder = build_embedder(onnx_settings(folder.name, **changes), models_dir=folder.parent)
        assert embedder is not None
        return embedder.identity

    return read


def test_identity_is_the_name_the_version_and_what_the_files_hold(make_model, identity) -> None:
    found = identity(make_model(), version="v7")
    assert (found.model_id, found.dimensions) == ("tiny-e5-test", 48)
    version, _, digest = found.model_version.partition("+")
    assert (version, len(digest)) == ("v7", 12)


def test_same_files_are_the_same_model_again(make_model, identity) -> None:
    folder = make_model()
    assert identity(folder) == identity(folder)
    (folder / ".kebab-hashes.json").unlink()
    assert identity(folder) == identity(folder)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_changed_file_is_another_model(make_model, identity, name: str) -> None:
    folder = make_model()
    before = identity(folder)
    with (folder / name).open("ab") as stream:
        stream.write(b" ")
    assert identity(folder).model_version != before.model_version


@pytest.mark.parametrize("name", ["weights.bin", "w", "model.onnx_data", "parts/0.raw"])
def test_weights_that_lie_beside_the_graph_are_part_of_the_model_whatever_they_are_called(
    make_model, identity, onnx_settings, name: str
) -> None:
    folder = make_model(weights_in=name)
    embedder = build_embedder(onnx_settings(), models_dir=folder.parent)
    before = identity(folder)
    assert embedder.embed(["cat"], EmbeddingKind.QUERY).shape == (1, 48)
    assert identity(folder) == before
    _change_unseen(folder / name)
    assert identity(folder) == before  # hashes are kept by size and time
    with pytest.raises(ModelCorruptError):
        embedder.verify()
    os.utime(folder / name, ns=(0, 0))
    assert identity(folder).model_version != before.model_version
    (folder / name).unlink()
    with pytest.raises(ModelCorruptError):
        build_embedder(onnx_settings(), models_dir=folder.parent).embed(["cat"], EmbeddingKind.QUERY)


def test_models_without_files_beside_the_graph_are_called_as_ever(make_model, identity) -> None:
    folder = make_model()
    for name in ("README", "LICENSE", "vocab.txt", ".gitattributes", "model_O4.onnx", "model.safetensors"):
        (folder / name).write_text("not read", "utf-8")
    files = [folder / "model.onnx", folder / "tokenizer.json"]
    digest = digest_of_files(files, family=family_of(folder.name), cache_file=None)
    assert identity(folder).model_version == f"v1+{digest[:12]}"


def test_other_pooling_is_another_model(make_model, identity) -> None:
    folder = make_model()
    before = identity(folder)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}', "utf-8")
    assert identity(folder) != before


def test_hash_is_read_once_for_a_file_that_does_not_change(make_model, identity) -> None:
    folder = make_model()
    before = identity(folder)
    _change_unseen(folder / "model.onnx")
    assert identity(folder) == before


def test_verification_reads_every_byte_whatever_hashes_are_kept(make_model, onnx_settings) -> None:
    folder = make_model()
    embedder = build_embedder(onnx_settings(), models_dir=folder.parent)
    embedder.verify()
    _change_unseen(folder / "model.onnx")
    with pytest.raises(ModelCorruptError):
        embedder.verify()


@pytest.mark.parametrize("content", ["", "[]", "{", '{"model.onnx": 3}'])
def test_damaged_memory_of_hashes_is_read_anew(make_model, identity, content: str) -> None:
    folder = make_model()
    before = identity(folder)
    (folder / ".kebab-hashes.json").write_text(content, "utf-8")
    assert identity(folder) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_folder_that_cannot_be_written_is_no_obstacle(make_model, identity) -> None:
    folder = make_model()
    folder.chmod(0o500)
    assert identity(folder).model_id == "tiny-e5-test"
    folder.chmod(0o700)


def test_vectors_of_a_model_do_not_depend_on_its_place(make_model, identity, tmp_path: Path) -> None:
    folder = make_model()
    before = identity(folder)
    moved = folder.rename(tmp_path / folder.name)
    assert identity(moved) == before


def _change_unseen(file: Path) -> None:
    stat = file.stat()
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    with file.open("r+b") as stream:
        stream.write(content)
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def test_no_provider_is_no_embedder(onnx_settings, tmp_path: Path) -> None:
    assert build_embedder(onnx_settings(provider="none"), models_dir=tmp_path) is None

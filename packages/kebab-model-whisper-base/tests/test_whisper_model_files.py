import hashlib

import pytest


def test_every_file_is_what_the_manifest_says() -> None:
    model = pytest.importorskip(
        "kebab_model_whisper_base", reason="the extra kebab-cli[audio] is not installed"
    )
    digests = model.manifest()["files"]
    assert {path.name for path in model.files().iterdir()} == {*digests, "manifest.json"}
    for name, digest in digests.items():
        assert hashlib.sha256((model.files() / name).read_bytes()).hexdigest() == digest

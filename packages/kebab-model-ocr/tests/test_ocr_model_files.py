import hashlib
from importlib.metadata import distribution

from kebab_model_ocr import files, manifest


def test_every_file_is_what_the_manifest_says() -> None:
    digests = manifest()["files"]
    assert {path.name for path in files().iterdir()} == {*digests, "manifest.json"}
    for name, digest in digests.items():
        assert hashlib.sha256((files() / name).read_bytes()).hexdigest() == digest


def test_the_wheel_carries_the_notice_of_the_models_and_is_the_same_for_every_platform() -> None:
    built = distribution("kebab-model-ocr")
    carried = {path.name for path in built.files or () if "licenses" in path.parts}
    assert carried == {"LICENSE-MIT", "LICENSE-APACHE", "MODEL_NOTICE.txt"}
    assert "Tag: py3-none-any" in (built.read_text("WHEEL") or "").splitlines()

from pathlib import Path

import pytest
from kebab_core import ModelCorruptError, ModelMissingError, Remedy
from kebab_runtime import MISSING_FILE_ERRORS, MODEL_ERRORS, load_onnxruntime, mapped_onnx_errors
from kebab_testing.tables import walk

PULL = Remedy(kind="pull_model", name="m")
state = load_onnxruntime().capi.onnxruntime_pybind11_state
NAMES = sorted(
    name for name, value in vars(state).items() if isinstance(value, type) and issubclass(value, Exception)
)


def test_every_exception_of_onnxruntime_is_mapped() -> None:
    assert sorted({*MODEL_ERRORS, *MISSING_FILE_ERRORS}) == NAMES


@walk("name", NAMES)
def test_exception_of_onnxruntime_names_the_file_and_a_way_out(name: str) -> None:
    wanted = ModelMissingError if name in MISSING_FILE_ERRORS else ModelCorruptError
    with pytest.raises(wanted) as caught, mapped_onnx_errors(Path("m.onnx"), model="model", remedy=PULL):
        raise getattr(state, name)("broken")
    assert (caught.value.remedy, caught.value.details["file"]) == (PULL, "m.onnx")

import ast
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import kebab_core
import pytest
from kebab_testing.tables import walk

INIT = Path(kebab_core.__file__)


def _modules_after(statement: str) -> set[str]:
    code = f"import json, sys\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


@walk("name", kebab_core.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(kebab_core, name) is not None


def test_what_type_checkers_see_is_what_is_exported() -> None:
    tree = ast.parse(INIT.read_text("utf-8"))
    blocks = [node.body for node in tree.body if isinstance(node, ast.If)]
    seen = {
        alias.name: node.module
        for block in (*blocks, tree.body)
        for node in block
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("kebab_core")
        for alias in node.names
    }
    assert sorted(seen) == kebab_core.__all__
    assert not [name for name, module in seen.items() if not hasattr(import_module(str(module)), name)]


def test_dir_lists_the_public_names() -> None:
    assert set(dir(kebab_core)) == set(kebab_core.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = kebab_core.no_such_name


@walk(
    "statement",
    [
        "import kebab_core",
        "from kebab_core import KebabError, InvalidInputError",
        "from kebab_core import hash_bytes",
    ],
)
def test_a_light_import_loads_no_pydantic(statement: str) -> None:
    assert not {
        name for name in _modules_after(statement) if name.partition(".")[0] in {"pydantic", "pydantic_core"}
    }


def test_importing_everything_touches_no_network_database_or_process() -> None:
    everything = "import kebab_core\nfor name in kebab_core.__all__: getattr(kebab_core, name)"
    before = _modules_after("import pydantic, pydantic.networks, blake3, rfc8785")
    assert not {"sqlite3", "socket", "ssl", "subprocess", "multiprocessing"} & (
        _modules_after(everything) - before
    )

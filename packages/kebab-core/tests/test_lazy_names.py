"""Packages whose names are loaded when first used."""

from __future__ import annotations

import subprocess
import sys

import kebab_core
import pytest


def test_a_name_that_is_not_there_is_an_attribute_error_that_names_the_package() -> None:
    with pytest.raises(AttributeError, match="'kebab_core' has no attribute 'nothing'"):
        _ = kebab_core.nothing


def test_a_name_is_loaded_once_and_kept() -> None:
    probe = (
        "import sys, kebab_core;"
        "before = 'kebab_core.chunk' in sys.modules;"
        "first = kebab_core.is_outdated;"
        "print(before, 'is_outdated' in vars(kebab_core), first is kebab_core.is_outdated)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "True"]

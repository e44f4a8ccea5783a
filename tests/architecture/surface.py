"""The public names of every member, as they are and as they were agreed.

`python -m tests.architecture.surface --write` accepts the names as they are.
"""

import argparse
import importlib
import json

from tests.architecture.members import MEMBERS, ROOT

AGREED = ROOT / "tests" / "architecture" / "public_surface.json"


def actual_surface() -> dict[str, list[str]]:
    """Return module name to its public names, sorted; a face may have none."""
    return {member.module: sorted(public_names(member.module)) for member in MEMBERS}


def public_names(module: str) -> list[str]:
    """Return `__all__` of a module."""
    return list(getattr(importlib.import_module(module), "__all__", []))


def agreed_surface() -> dict[str, list[str]]:
    """Return the checked-in names."""
    return json.loads(AGREED.read_text("utf-8"))


def main() -> None:
    """Write the checked-in names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", required=True)
    parser.parse_args()
    AGREED.write_text(json.dumps(actual_surface(), indent=1, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main()

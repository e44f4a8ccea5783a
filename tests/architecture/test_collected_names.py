import re

import pytest

ADDRESS = re.compile(r"\bat 0x[0-9a-f]+")


def test_no_test_is_named_after_an_address(request: pytest.FixtureRequest) -> None:
    # Processes that share the work of a run must find the same names.
    assert [item.nodeid for item in request.session.items if ADDRESS.search(item.nodeid)] == []

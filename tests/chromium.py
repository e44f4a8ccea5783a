"""Chromium for tests, and the marks of those that drive it."""

from __future__ import annotations

import pytest

from tools.chromium import PROGRAM as PROGRAM, Browser as Browser, start_chromium as start_chromium

MARKS = [
    pytest.mark.browser,
    pytest.mark.enable_socket,
    pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed (apt-get install chromium)"),
]
"""Marks of a test that drives it."""

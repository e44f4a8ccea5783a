"""What every test run needs: no network, one time zone, the same cases every time, and laws that explain their failures."""

import importlib.util
import os
import time

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("kebab_testing.laws")

os.environ["TZ"] = "UTC"  # noqa: TID251 - dates without a zone are those of the machine
time.tzset()

# No deadline: how long a case takes depends on what else the machine is doing.
settings.register_profile(
    "kebab", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("kebab")


if importlib.util.find_spec("pytest_socket"):
    # Here and not as an option, so that a package can be tested alone, where only kebab-testing is installed.
    import pytest_socket

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_setup(item: pytest.Item) -> None:
        """Forbid connections to anything but the machine's own sockets; the plugin lifts it after each test.

        A test marked `enable_socket` starts a server on loopback and connects to it.
        """
        if item.get_closest_marker("enable_socket") is None:
            pytest_socket.disable_socket(allow_unix_socket=True)

"""Settings of every test run: no network, one time zone, the same cases every time, and laws that explain their failures.

Of families that are marked `thorough` a tenth runs; all of them with `-m thorough`.
"""

import gc
import importlib.util
import os
import shutil
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from hypothesis.internal.conjecture import providers
from kebab_testing.families import MARK, WHOLE_PROFILE, is_thorough, keep_sampled

pytest.register_assert_rewrite("kebab_testing.laws")

os.environ["TZ"] = "UTC"  # noqa: TID251 - dates without a zone are those of the machine
time.tzset()

_EXAMPLES = 100
"""Of a law that names no number of its own, in a run of whole families."""

# Hypothesis also tries constants of the modules that are loaded, which are other ones in each process: the same cases every time.
providers._get_local_constants = lambda: providers._local_constants  # noqa: SLF001

# No deadline: how long a case takes depends on what else the machine is doing.
for profile, max_examples in (("kebab", _EXAMPLES // 10), (WHOLE_PROFILE, _EXAMPLES)):
    settings.register_profile(
        profile,
        max_examples=max_examples,
        derandomize=True,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=True,
    )


# A file that is synchronised with a disk is waited for, and most tests write databases; in memory the same calls return at once.
_IN_MEMORY = Path("/dev/shm")  # noqa: S108 - pytest makes a folder of its own in it
_ROOM_BYTES = 4 * 2**30
if os.access(_IN_MEMORY, os.W_OK) and shutil.disk_usage(_IN_MEMORY).free >= _ROOM_BYTES:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_IN_MEMORY))  # noqa: TID251 - where pytest makes its folders

# Cycles are looked for after 700 new objects by default, among all that tests and libraries hold, for a tenth of the time.
gc.set_threshold(50_000)
_ENDED = count(1)
_TESTS_BETWEEN = 500
_PROCESS_BYTES = 3 * 2**30
"""Of a process of pytest-xdist with its children."""


def pytest_configure(config: pytest.Config) -> None:
    """Say whether families run whole before any test module is imported."""
    wanted = str(config.getoption("markexpr"))
    settings.load_profile(WHOLE_PROFILE if MARK in wanted and f"not {MARK}" not in wanted else "kebab")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out nine in ten cases of each family, unless families run whole or one case is named; laws are families, too."""
    if is_thorough():
        for item in items:
            if is_hypothesis_test(getattr(item, "obj", None)):
                item.add_marker(MARK)
    elif not any("[" in argument for argument in config.args):
        items[:], left_out = keep_sampled(items)
        config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Look for cycles now and then, which hold files open that tests are done with."""
    if next(_ENDED) % _TESTS_BETWEEN == 0:
        gc.collect()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return half as many processes again as there are cores, since tests also wait, as far as there is memory for them."""
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min((os.cpu_count() or 1) * 3 // 2, memory_bytes // _PROCESS_BYTES))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each process of pytest-xdist a run of the tests in their order, so that few fixtures of modules are made twice."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


def pytest_sessionfinish() -> None:
    """Delete the databases that tests have left; a process of pytest-xdist ends without finalizers."""
    stores = sys.modules.get("kebab_testing.temporary_stores")
    if stores is not None:
        stores.delete_temporary_stores()


def pytest_collection_finish() -> None:
    """Leave what has been collected and imported out of every later search for cycles."""
    gc.collect()
    gc.freeze()


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

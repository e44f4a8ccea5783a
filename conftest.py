"""What every test run needs: laws that explain their failures, and properties that try the same cases every time."""

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("kebab_testing.laws")

# No deadline: how long a case takes depends on what else the machine is doing.
settings.register_profile(
    "kebab", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("kebab")

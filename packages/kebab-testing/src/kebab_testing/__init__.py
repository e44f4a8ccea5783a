"""Fakes and Protocol law suites for kebab's own tests; never published.

Nothing is re-exported here: a test imports the suite or fake it needs from its own module.

    from kebab_testing.fakes.clock import FixedClock
    from kebab_testing.laws.token_counter import TokenCounterLaws
"""

__all__: list[str] = []

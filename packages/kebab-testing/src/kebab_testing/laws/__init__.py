"""Suites of laws, one module for each Protocol: subclass one as `Test…` and return what is to be tested."""

"""Suites of laws, one module for each Protocol or table: subclass one as `Test…` and return what is to be tested."""

"""Implementations of the Protocols for tests, one module for each; every one passes the laws of its Protocol."""

"""The seams of kebab: roles that packages play for each other.

A docstring here is the law that implementations are tested against; they repeat only what differs.
"""

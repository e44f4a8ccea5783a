"""Documentation, and what writes the part of it that is derived from the code."""

"""Vectors for what is in the index: the pass that follows the words, and can be made up for later."""

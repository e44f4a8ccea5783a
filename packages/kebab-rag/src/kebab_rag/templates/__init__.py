"""The wordings of the instructions to chat models, one module for each version; a version never changes."""

"""The screens, one to a module."""

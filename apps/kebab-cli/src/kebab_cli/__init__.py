"""The `kebab` command."""

"""One module for each command, of the same name; its `command` runs."""

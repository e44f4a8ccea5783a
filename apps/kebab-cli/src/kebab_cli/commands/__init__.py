"""One module for each command; its name is the command's, `command` is what runs."""

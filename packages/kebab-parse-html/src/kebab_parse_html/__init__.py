"""Reads HTML, EPUB and e-mail into kebab documents."""

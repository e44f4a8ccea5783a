"""Reads files of office programs into kebab documents."""

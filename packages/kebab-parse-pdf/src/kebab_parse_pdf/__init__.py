"""Reads PDF into kebab documents."""

"""Reads documents of Hangul, the Korean word processor, into kebab documents."""

"""Embedders that ask a model server: the only ones that speak HTTP, and only to the address in the settings."""

"""Instances of every wire object, as kebab prints them; `wire-schema/v1/examples` is written out of these."""

"""Tests of the shape of the workspace: what may import what, what is public, what must be beside what."""

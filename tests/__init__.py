"""Tests that need more than one package."""

"""Explanations of one file and checks of a whole knowledge base, as domain types."""

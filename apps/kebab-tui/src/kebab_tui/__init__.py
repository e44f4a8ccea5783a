"""The terminal screens of a knowledge base."""

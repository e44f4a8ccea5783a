"""The local web page of a knowledge base."""

"""What is asked, under the name by which faces import it."""

from kebab_rag import AskRequest

__all__ = ["AskRequest"]

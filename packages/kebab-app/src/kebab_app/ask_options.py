"""What is asked, and how scores are written, under the names by which faces import them."""

from kebab_rag import AskRequest, show_score, show_threshold

__all__ = ["AskRequest", "show_score", "show_threshold"]

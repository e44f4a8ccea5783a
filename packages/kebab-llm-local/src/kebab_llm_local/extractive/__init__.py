"""Answers made of sentences that stand in the evidence."""

"""Checks that everything kebab needs is in order, each with what to do if it is not."""

"""Output for people: each module prints one kind of result."""

"""The facade of kebab: composition root, use cases, ingest pipeline, doctor, reset."""

__all__: list[str] = []

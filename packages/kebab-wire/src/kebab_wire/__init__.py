"""The *.v1 wire objects of kebab and their JSON Schemas."""

__all__: list[str] = []

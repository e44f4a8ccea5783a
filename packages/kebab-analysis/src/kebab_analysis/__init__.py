"""Terms for lexical search: Korean morphology, English stems, code identifiers; language detection; token estimate."""

__all__: list[str] = []

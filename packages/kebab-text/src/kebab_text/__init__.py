"""Pure functions on text: scripts, grapheme clusters, sentence boundaries, inverse document frequency."""

"""How packages that only some models need are installed beside kebab, by the names that their makers publish."""

from __future__ import annotations

TOKENIZERS_HINT = "uv pip install 'tokenizers>=0.22,<1', which is what kebab-embed-local[onnx] adds"
FASTEMBED_HINT = "uv pip install 'fastembed>=0.9,<1', which is what kebab-embed-local[fastembed] adds"

"""The extractive language model, which answers by quoting sentences of the evidence.

Calls no server, loads no weights and writes no words of its own. Retrieval, the gate on the evidence and the check of
citations are in other packages.

    >>> from kebab_extractive import ExtractiveModel
    >>> ExtractiveModel.__name__
    'ExtractiveModel'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_extractive.model import (
        ExtractiveModel as ExtractiveModel,
        build_extractive_model as build_extractive_model,
    )

__getattr__, __dir__ = lazy_exports(__name__)

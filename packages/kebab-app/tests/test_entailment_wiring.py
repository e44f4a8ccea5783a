from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_app.ask import build_rag
from kebab_core import SearchMode
from kebab_testing.laws.nli_verifier import WORDS
from kebab_testing.onnx_files import write_overlap_model

if TYPE_CHECKING:
    from conftest import Base


def test_claims_are_checked_by_the_configured_model_at_the_configured_threshold(base: Base) -> None:
    write_overlap_model(base.data_dir / "models" / "overlap", WORDS)
    base.configure("models.nli", provider="onnx", model="overlap")
    base.configure("rag", nli_threshold=0.5)
    base.write("cats.md", "# Cats\n\nThe cat sleeps at noon.\n")
    base.ingest()
    pipeline = build_rag(base.app.base, SearchMode.LEXICAL, keep=False)
    assert pipeline.nli is not None
    assert pipeline.nli.model_ref().id == "overlap"
    assert pipeline.settings.nli_threshold == 0.5

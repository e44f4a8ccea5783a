"""Small builders of evidence and of what a language model is asked."""

from __future__ import annotations

from collections.abc import Sequence

from kebab_core import (
    NOT_IN_EVIDENCE,
    WEAK_EVIDENCE,
    ChatMessage,
    ChunkId,
    Citation,
    GenerateRequest,
    LineCitation,
    Passage,
    WorkspacePath,
    hash_canonical,
)


def build_passage(
    text: str,
    *,
    marker: int = 1,
    title: str = "",
    heading_path: Sequence[str] = (),
    citation: Citation | None = None,
    lang: str = "en",
) -> Passage:
    """Return one passage of a made-up document; its chunk id differs from that of other texts and markers."""
    return Passage(
        marker=marker,
        chunk_id=ChunkId(hash_canonical([text, str(marker)])[:32]),
        citation=citation or LineCitation(path=WorkspacePath(f"notes/{marker}.md"), start=1, end=1),
        title=title,
        heading_path=tuple(heading_path),
        lang=lang,
        text=text,
    )


def build_request(question: str, *evidence: str | Passage, max_tokens: int = 1000) -> GenerateRequest:
    """Return a request with the evidence marked from 1; the rendered messages are not what these tests read."""
    passages = tuple(
        build_passage(each, marker=marker) if isinstance(each, str) else each
        for marker, each in enumerate(evidence, start=1)
    )
    return GenerateRequest(
        messages=(
            ChatMessage(role="system", text="Answer from the evidence."),
            ChatMessage(role="user", text=question),
        ),
        question=question,
        evidence=passages,
        max_tokens=max_tokens,
        seed=0,
    )


def is_answer(text: str) -> bool:
    """Return False if the text of a model is a refusal, or says in its first line that nothing answers."""
    return text not in NOT_IN_EVIDENCE.values() and text.partition("\n")[0] not in WEAK_EVIDENCE.values()

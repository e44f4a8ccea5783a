"""Captions: a chat model that looks at pictures writes a sentence about each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import CHAT_SERVERS, ChatMessage, ConfigInvalidError, GenerateRequest, PageCitation, Remedy

if TYPE_CHECKING:
    from collections.abc import Callable

    from kebab_core import DocumentId

    from kebab_app.knowledge_base import KnowledgeBase

_QUESTION = (
    "Say in one sentence of English and in one of Korean what this picture shows, or what the pictures on this page of a document show. "
    "Name what is to be seen, and nothing that you do not see."
)
_MAX_TOKENS = 200
_MAX_WIDTH = 1024
"""Pixels of a row of what is sent, at most."""


def build_captioner(base: KnowledgeBase) -> Callable[[DocumentId, int], str]:
    """Build the function that has the model of `ingest.caption.model` write about a picture, or a page or frame from 1.

    It raises what a chat model and `render_page` raise.
    """
    loaded = base.loaded
    settings = loaded.settings.models.llm.model_copy(update={"model": loaded.settings.ingest.caption.model})

    def write(doc_id: DocumentId, page: int) -> str:
        from kebab_llm_local import build_chat_model

        from kebab_app.documents import find_address
        from kebab_app.rendering import render_page

        if settings.provider not in CHAT_SERVERS:
            raise ConfigInvalidError(
                "ingest.caption.model needs `models.llm.provider` to be one of {providers}",
                remedy=Remedy(kind="set", setting="models.llm.provider"),
                key="models.llm.provider",
                _providers=", ".join(CHAT_SERVERS),
            )
        found = find_address(base, doc_id)
        cited = PageCitation(path=found.document.doc_path, source_id=found.document.source_id, page=page)
        drawn = render_page(base, found._replace(citation=cited), max_width=_MAX_WIDTH, marked=False)
        model = build_chat_model(settings, models_dir=loaded.paths.models_dir, api_key=loaded.llm_api_key)
        request = GenerateRequest(
            messages=(ChatMessage(role="user", text=_QUESTION, picture=drawn.png),),
            question=_QUESTION,
            max_tokens=_MAX_TOKENS,
        )
        return "".join(part.text for part in model.generate_stream(request) if part.kind == "token")

    return write

"""Extractors of exported chats: KakaoTalk, WhatsApp, LINE, Telegram, Slack, Discord, Messenger, Google Chat, Zoom, assistants.

from kebab_parse_chat import ChatLogExtractor, find_chat

find_chat(TextMedia(), content)  # ChatMedia(format="kakaotalk"), or None
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_parse_chat.chat_archives import read_slack_names as read_slack_names
    from kebab_parse_chat.chat_extractors import (
        ChatArchiveExtractor as ChatArchiveExtractor,
        ChatLogExtractor as ChatLogExtractor,
    )
    from kebab_parse_chat.recognition import (
        CHAT_VERSION as CHAT_VERSION,
        find_chat as find_chat,
        find_names as find_names,
        may_be_chat as may_be_chat,
    )

__getattr__, __dir__ = lazy_exports(__name__)

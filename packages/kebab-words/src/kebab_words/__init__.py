"""Messages in a language, without global state.

from kebab_core import Message
from kebab_words import Words

Words("ko").localize(Message("{count} file", plural="{count} files", count=2))
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kebab_words.phrases import (
        AnswerVerdict as AnswerVerdict,
        Phrases as Phrases,
        describe_answer as describe_answer,
        describe_filter as describe_filter,
        find_verdict as find_verdict,
    )
    from kebab_words.search_status import (
        describe_no_hit as describe_no_hit,
        list_gaps as list_gaps,
        list_status as list_status,
    )
    from kebab_words.words import DOMAIN as DOMAIN, LOCALE_DIR as LOCALE_DIR, Words as Words


def __getattr__(name: str) -> object:
    # not at once: `kebab` imports it before Ctrl-C is handled
    from kebab_core import lazy_exports

    return lazy_exports(__name__)[0](name)

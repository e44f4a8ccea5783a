"""Links of the scheme `kebab:`, which other programs open: to a document, or to what a query finds."""

from __future__ import annotations

from urllib.parse import parse_qs

from kebab_core import InvalidInputError

SCHEME = "kebab"
_MAX_LENGTH = 8192
_PARAMETERS = {"open": ("a", "d"), "search": ("q", "q")}
"""By what a link does: its parameter, and that of the page."""


def parse_link(link: str) -> dict[str, str]:
    """Return the parameters of the page that a link leads to; none for an empty one.

    Args:
        link: `kebab://open?a=ADDRESS` or `kebab://search?q=WORDS`, percent-encoded or not.

    Raises:
        InvalidInputError: It is none of these, too long, or has a control character.
    """
    if not link:
        return {}
    head, _, rest = link.partition("?")
    scheme, _, action = head.partition("://")
    given, taken = _PARAMETERS.get(action.strip("/").lower(), ("", ""))
    value = parse_qs(rest.replace("+", "%2B")).get(given, [""])[0] if len(link) <= _MAX_LENGTH else ""
    if scheme.lower() != SCHEME or not value.strip() or not value.isprintable():
        raise InvalidInputError(
            "a link is kebab://open?a=ADDRESS or kebab://search?q=WORDS, of {limit} characters at most",
            limit=_MAX_LENGTH,
        )
    return {taken: value.strip()}

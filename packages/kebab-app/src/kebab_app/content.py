"""What the content of a file decides: its medium, and whether it is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kebab_core import CodeIngestSettings, MediaType, WorkspacePath
    from kebab_ingest import ContentFilter


def find_media(named: MediaType, content: bytes) -> MediaType:
    """Return the medium of a file by its content, given the one that its name stands for.

    Raises:
        DocumentDamagedError: The file is empty, and its format has no empty files.
    """
    from kebab_parse import find_media as find_format
    from kebab_parse_chat import find_chat
    from kebab_parse_structured import find_data, find_export

    exported = find_chat(named, content) or find_export(named, content) or find_data(named, content)
    return exported or find_format(named, content)


def list_other_parsers(named: MediaType) -> tuple[str, ...]:
    """Return the labels of parsers that may read files of a medium by their content although they lack its kind."""
    from kebab_parse_chat import CHAT_VERSION, may_be_chat
    from kebab_parse_structured import list_export_parsers

    return (*((CHAT_VERSION,) if may_be_chat(named) else ()), *list_export_parsers(named))


def find_names(path: WorkspacePath) -> WorkspacePath | None:
    """Return the path of the file with the names that stand for ids in another; None where it needs none."""
    from kebab_parse_chat import find_names as find_users

    return find_users(path)


def read_names(content: bytes) -> Mapping[str, str]:
    """Return the names of such a file, by ids; none where it is another one."""
    from kebab_parse_chat import read_slack_names

    return read_slack_names(content)


def build_content_filter(settings: CodeIngestSettings) -> ContentFilter:
    """Build the rule that leaves source files out for their content."""
    from kebab_core import SkipReason
    from kebab_ingest import ContentFilter
    from kebab_parse_chat import CHAT_VERSION, find_chat
    from kebab_parse_structured import JSON_VERSION, find_data, find_export
    from kebab_source_fs import SNIFF_VERSION, sniff_skip

    def find_reason(media: MediaType, content: bytes, settings: CodeIngestSettings) -> SkipReason | None:
        if find_chat(media, content) or find_export(media, content):
            return None
        reason = sniff_skip(media, content, settings)
        return None if reason is SkipReason.GENERATED and find_data(media, content) else reason

    version = f"{SNIFF_VERSION} {CHAT_VERSION} {JSON_VERSION}"
    return ContentFilter(find_reason=find_reason, version=version, settings=settings)

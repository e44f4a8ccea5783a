"""Phrases that the page in the browser and the screens in the terminal share, and the verdict on an answer."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from kebab_core import Message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kebab_core import Answer

AnswerVerdict = Literal["grounded", "unsure", "unproven", "refused", "stopped"]
_MONTH, _MANY_DAYS, _YEAR = 30, 60, 365


class Phrases:
    """Messages of both; each face has others of its own."""

    SEARCH = Message("Search your documents")
    KEYS = Message("Keys")
    GONE = Message("gone since it was read")
    NOTHING_RELATED = Message("Nothing is related to it")
    RELATIONS = MappingProxyType({
        "links_to": Message("linked from here"),
        "linked_from": Message("links here"),
        "called_by": Message("calls this"),
        "calls": Message("called here"),
        "same_name": Message("same name"),
        "tested_by": Message("tests this"),
        "similar": Message("similar"),
    })
    """By the relation of a document to another."""
    CONVERSATIONS = Message("Conversations")
    RECENT = Message("Recently changed")
    LAST_QUESTIONS = Message("Last questions")
    LESS_LIKELY = Message("Less likely")
    NEAREST = Message("Nearest")
    INDEX_EMPTY = Message("Nothing has been read yet")
    STALE = Message("changed since it was read")
    NO_DOCUMENT = Message("Choose a result to read it here")
    GROUNDED = Message("From your documents")
    NOT_SURE = Message("Not sure – this comes nearest")
    REFUSED = Message("Nothing in your documents")
    NOT_PROVEN_ANSWER = Message("Not all of this is proven")
    NOT_STORED = Message("Answer of this conversation: whether your documents support it is no longer stored")
    STOPPED = Message("Stopped; kept so far")
    NOT_PROVEN = Message("Not proven: read the quote")
    READING = Message("Reading the passages…")
    TAGS = Message("Tags")
    FOLDERS = Message("Folders")
    SOURCES = Message("Sources")
    KINDS = Message("Kinds")
    MEDIA = MappingProxyType({
        "markdown": Message("Markdown"),
        "text": Message("Text"),
        "pdf": Message("PDF"),
        "office": Message("Office files"),
        "html": Message("Web pages"),
        "epub": Message("E-books"),
        "hwp": Message("Hangul files"),
        "email": Message("Mail"),
        "chat": Message("Chats"),
        "image": Message("Pictures"),
        "subtitles": Message("Subtitles"),
        "audio": Message("Recordings"),
        "code": Message("Source code"),
        "structured": Message("Notebooks, calendars, diagrams"),
        "archive": Message("Archives"),
        "other": Message("Other files"),
    })
    """By medium."""
    LANGUAGE = Message("Language")
    LANGUAGES = MappingProxyType({
        "ko": Message("Korean"),
        "en": Message("English"),
        "ja": Message("Japanese"),
        "zh": Message("Chinese"),
        "de": Message("German"),
        "fr": Message("French"),
        "es": Message("Spanish"),
        "und": Message("Unknown language"),
    })
    """By code."""
    DATE = Message("Date")
    SINCE = MappingProxyType({
        "7d": Message("Last 7 days"),
        "30d": Message("Last 30 days"),
        "365d": Message("Last 12 months"),
    })
    """By value of the filter `since`, the shortest first."""
    RUNS = MappingProxyType({
        "ingest": Message("Read changes now"),
        "embed": Message("Compute missing embeddings"),
        "verify_files": Message("Compare all files"),
        "read_files_again": Message("Read all files again"),
        "prune": Message("Drop what is gone"),
    })
    """Labels of runs, by the kind of remedy that each is; see `kebab_app.run_remedy`."""
    INTERRUPTED = Message("Reading was interrupted")
    ENTERING = Message("Opening kebab…")
    LONG_DOCUMENT = Message("Only the part around the place is shown: the document is long")
    ASKED_AS = Message("asked as")
    STEPS = MappingProxyType({
        "source": Message("Folder"),
        "rules": Message("Rules that exclude files"),
        "ingest": Message("Reading"),
        "file": Message("File now"),
        "index": Message("Passages"),
        "vectors": Message("Vectors"),
        "filters": Message("Filters"),
        "words": Message("By words"),
        "meaning": Message("By meaning"),
        "order": Message("Place among the results"),
        "answer": Message("Passages of the answer"),
    })
    """Names of the steps of an explanation."""
    WHY_FILE = Message("File that should have been found")
    IN_FILE = Message("in the file")
    NOT_IN_FILE = Message("not in the file")

    @staticmethod
    def documents(count: int) -> Message:
        """Count documents."""
        return Message("{count} document", plural="{count} documents", count=count)

    @staticmethod
    def first_documents(count: int) -> Message:
        """Count the documents of a result that has more."""
        return Message("first {count} document", plural="first {count} documents", count=count)

    @staticmethod
    def of_searched(count: int) -> Message:
        """Count the documents that were searched."""
        return Message("of {count} searched", count=count)

    @staticmethod
    def more_places(count: int) -> Message:
        """Count the further passages of a hit."""
        return Message("+{count} place", plural="+{count} places", count=count)

    @staticmethod
    def age(days: int) -> Message:
        """Age in days, or where they are many in months of 30 days or years of 365."""
        if days < _MANY_DAYS:
            return (
                Message("{count} day ago", plural="{count} days ago", count=days)
                if days
                else Message("today")
            )
        if days < 2 * _YEAR:
            return Message("{count} month ago", plural="{count} months ago", count=days // _MONTH)
        return Message("{count} year ago", plural="{count} years ago", count=days // _YEAR)

    @staticmethod
    def sheet(name: str) -> Message:
        """Name a sheet."""
        return Message("Sheet {name}", name=name)

    @staticmethod
    def slide(number: int) -> Message:
        """Number a slide."""
        return Message("Slide {number}", number=number)

    @staticmethod
    def held(count: int) -> Message:
        """Count documents whose files are gone all at once."""
        return Message(
            "{count} file is gone. Is a drive unplugged?",
            plural="{count} files are gone. Is a drive unplugged?",
            count=count,
        )

    @staticmethod
    def read_files(new: int, updated: int, failed: int, *, folders: int) -> Message:
        """Result of an ingest; `folders` could not be read."""
        files = Message(
            "Read: {new} new, {updated} changed, {failed} failed", new=new, updated=updated, failed=failed
        )
        if not folders:
            return files
        return Message("{files}, {folders}", files=files, folders=Phrases.unread_folders(folders))

    @staticmethod
    def unread_folders(count: int) -> Message:
        """Count folders that could not be read."""
        return Message("{count} folder not read", plural="{count} folders not read", count=count)

    @staticmethod
    def left_out(count: int) -> Message:
        """Count claims that are improbable by what they cite."""
        return Message(
            "{count} claim was left out: improbable by the sentences that it cites",
            plural="{count} claims were left out: improbable by the sentences that they cite",
            count=count,
        )

    @staticmethod
    def near_words(text: str, words: str) -> Message:
        """Say what was searched in place of an unknown word."""
        return Message("{text} is in no document; searched for {words}", text=text, words=words)

    @staticmethod
    def by_query(query: str) -> Message:
        """Name the query of an explanation."""
        return Message("by the query {query!r}", query=query)

    @staticmethod
    def embedded(count: int) -> Message:
        """Count passages that got a vector."""
        return Message("{count} passage embedded", plural="{count} passages embedded", count=count)


def describe_filter(name: str, value: str) -> str:
    """Return a value of a filter as a reader knows it, a message where it is not the user's own.

    Args:
        name: The filter, as `kebab_app.build_filters` takes it.
        value: The value.
    """
    labels: Mapping[str, Mapping[str, Message]] = {
        "media": Phrases.MEDIA,
        "lang": Phrases.LANGUAGES,
        "since": Phrases.SINCE,
    }
    if name == "tag":
        return f"#{value}"
    return labels[name].get(value, value) if name in labels else value


def find_verdict(answer: Answer) -> AnswerVerdict:
    """Return the verdict on an answer: `unsure` quotes the nearest spans, `unproven` has claims that no source supports."""
    from kebab_core import RefusalReason

    if answer.grounded:
        return "grounded"
    match answer.refusal_reason:
        case RefusalReason.WEAK_SUPPORT | RefusalReason.LLM_SELF_JUDGE:
            return "unsure"
        case RefusalReason.NOT_PROVEN:
            return "unproven"
        case RefusalReason.LLM_STREAM_ABORTED:
            return "stopped"
        case _:
            return "refused"


def describe_answer(answer: Answer) -> list[Message]:
    """Say who wrote an answer if it says something, how many of the passages that were read it cites, and how long it took."""
    model, used = answer.model, answer.retrieval.chunks_used
    said = []
    if answer.claims:
        is_quoted = model.provider == "extractive"
        said.append(
            Message("quoted word for word") if is_quoted else Message("written by {model}", model=model.id)
        )
    if used and answer.grounded:
        cited = len({each.marker for each in answer.citations if each.marker})
        said.append(Message("{used} of {found} passages", used=cited, found=used))
    elif used:
        said.append(Message("{count} passage read", plural="{count} passages read", count=used))
    return [*said, Message("{value:.1f} s", value=answer.usage.latency_ms / 1000)]

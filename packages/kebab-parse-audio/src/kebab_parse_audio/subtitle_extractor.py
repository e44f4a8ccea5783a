"""The extractor `subtitles-v1`: from the bytes of subtitles (SubRip, WebVTT, LRC, SAMI, SubStation Alpha, TTML and captions of YouTube) to a document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from typing import Any

from kebab_core import (
    MAX_MS,
    CanonicalDocument,
    DocumentDamagedError,
    ExtractContext,
    Message,
    ParserVersion,
    SubtitlesMedia,
    UnsupportedMediaError,
)
from kebab_parse import IsolatedExtractor, decode_text, parse_xml, split_lines
from pydantic import JsonValue

from kebab_parse_audio.timed_text import TimedLine, ends_sentence, write_timed_text

_TAGS = re.compile(r"</?[a-zA-Z][^<>\n]{0,200}>|\{\\[^{}\n]{0,200}\}")
_LRC_TIME = re.compile(r"\[(\d{1,3}):(\d{2})(?:[.:](\d{1,3}))?\]")
_LRC_WORD_TIME = re.compile(r"<\d{1,3}:\d{2}(?:[.:]\d{1,3})?>")
_LRC_TAG = re.compile(r"\[([a-z#]+):([^\[\]\n]*)\]\s*$")
_SAMI_CUE = re.compile(r"""<sync\s[^<>]{0,200}?start\s*=\s*["']?(\d{1,9})[^<>]{0,200}>""", re.IGNORECASE)
_SAMI_BREAK = re.compile(r"<br\s*/?>|<p\b[^<>]{0,200}>", re.IGNORECASE)
_ASS_FIELDS = re.compile(r"\[Events\]\s*\nFormat:(.*)", re.IGNORECASE)
_ASS_TIME = re.compile(r"\s*(\d{1,3}):(\d{2}):(\d{2})[.:](\d{1,3})\s*")
_SBV_TIMES = re.compile(r"(\d{1,3}):(\d{2}):(\d{2})\.(\d{1,3}),(\d{1,3}):(\d{2}):(\d{2})\.(\d{1,3})")
_ASS_DRAWING = re.compile(r"\{[^{}\n]{0,2000}\\p[1-9]")
_ASS_BRACES = re.compile(r"\{[^{}\n]{0,2000}\}")
_ASS_BREAK = re.compile(r"\\[Nnh]")
_XML_HEAD = re.compile(r"\A\s*<\?xml[^>]{0,500}\?>")
_TTML_OFFSET = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)(h|m|s|ms|f|t)")
_TTML_CLOCK = re.compile(r"(\d{2,3}):(\d{2}):(\d{2})(?:\.(\d{1,3})\d{0,9}|:(\d{2,3}))?")
_UNITS_MS = {"h": 3_600_000.0, "m": 60_000.0, "s": 1000.0, "ms": 1.0}
_USUAL_FRAMES = 30
_SRT_TIMES = re.compile(r"^(?:[\d.]++[^\S\n]*+\n)?[^\n]*-->[^\n]*$", re.MULTILINE)
"""The times of a cue of SubRip, with the number above them."""
_LONG_NUMBER = re.compile(r"\d{9,}")
_LAST_MS = 5000
"""Length of the last line of LRC and SAMI, which name no ends."""
_SAME_MS = 100
"""Gap up to which a line that is shown once more counts as the same."""


def read_srt(text: str) -> list[TimedLine]:
    """Read SubRip. What is no cue is left out."""
    from srt import parse

    # its parser fails with numbers beyond those of the machine
    text = _SRT_TIMES.sub(lambda found: _LONG_NUMBER.sub("99999999", found[0]), text)
    cues = (
        TimedLine(
            _milliseconds(cue.start.total_seconds()), _milliseconds(cue.end.total_seconds()), cue.content
        )
        for cue in parse(text, ignore_errors=True)
    )
    return _clean(cues)


def read_vtt(text: str) -> list[TimedLine]:
    """Read WebVTT. What is no cue is left out; a voice stands before each cue in which it begins a sentence."""
    from webvtt import WebVTT
    from webvtt.errors import MalformedCaptionError, MalformedFileError

    try:
        captions = WebVTT.from_string(text).captions
    except (MalformedFileError, MalformedCaptionError):
        return []
    cues = (
        (
            caption.voice,
            TimedLine(
                _milliseconds(caption.start_in_seconds), _milliseconds(caption.end_in_seconds), caption.text
            ),
        )
        for caption in captions
    )
    return _clean(_with_voices(cues))


def read_ass(text: str) -> list[TimedLine]:
    """Read SubStation Alpha. Drawings and comments are left out; a name stands as a voice of WebVTT does."""
    fields = _ASS_FIELDS.search(text)
    names = [name.strip().lower() for name in fields[1].split(",")] if fields else []
    cues: list[tuple[str | None, TimedLine]] = []
    for line in text.split("\n"):
        kind, _, rest = line.partition(":")
        values = dict(zip(names, rest.split(",", max(len(names) - 1, 0)), strict=False))
        times = [_ASS_TIME.fullmatch(values.get(each, "")) for each in ("start", "end")]
        shown = values.get("text", "")
        if kind.strip().lower() == "dialogue" and times[0] and times[1] and not _ASS_DRAWING.search(shown):
            start, end = (_read_time(*each.groups()) for each in times if each)
            voice = values.get("name") or values.get("actor") or ""
            cues.append((
                voice.strip(),
                TimedLine(start, end, _ASS_BREAK.sub("\n", _ASS_BRACES.sub("", shown))),
            ))
    return _clean(_with_voices(sorted(cues, key=lambda cue: cue[1].start_ms)))


def _read_time(hours: str, minutes: str, seconds: str, fraction: str) -> int:
    whole = (int(hours) * 60 + int(minutes)) * 60 + int(seconds)
    return min(whole * 1000 + int(fraction.ljust(3, "0")), MAX_MS)


def _with_voices(cues: Iterable[tuple[str | None, TimedLine]]) -> Iterator[TimedLine]:
    """Yield cues in order, with the voice before each in which it begins a sentence."""
    speaking = None
    for voice, cue in cues:
        yield cue._replace(text=f"{voice}: {cue.text}") if voice and voice != speaking else cue
        speaking = None if ends_sentence(cue.text) else voice


def read_lrc(text: str) -> list[TimedLine]:
    """Read LRC: each line ends where the next begins. A line with several times is there several times."""
    offset = next((value for key, value in list_lrc_tags(text) if key == "offset"), "0")
    shift = int(offset) if re.fullmatch(r"[+-]?\d{1,7}", offset) else 0
    starts: list[tuple[int, str]] = []
    for line in text.split("\n"):
        times, position = [], 0
        while found := _LRC_TIME.match(line, position):
            minutes, seconds, fraction = found.groups()
            times.append(int(minutes) * 60_000 + int(seconds) * 1000 + int((fraction or "").ljust(3, "0")))
            position = found.end()
        words = _LRC_WORD_TIME.sub("", line[position:])
        starts += [(max(time - shift, 0), words) for time in times]
    starts.sort(key=lambda each: each[0])
    ends = [start for start, _ in starts[1:]] + [start + _LAST_MS for start, _ in starts[-1:]]
    return _clean(TimedLine(start, end, words) for (start, words), end in zip(starts, ends, strict=True))


def read_sami(text: str) -> list[TimedLine]:
    """Read SAMI: each cue ends where the next begins, which may be empty. Languages beside each other are one cue."""
    cues = list(_SAMI_CUE.finditer(text))
    ends = [*(cue.start() for cue in cues[1:]), *(len(text) for _ in cues[-1:])]
    starts = [min(int(cue[1]), MAX_MS) for cue in cues]
    shown = [
        unescape(_TAGS.sub("", _SAMI_BREAK.sub("\n", text[cue.end() : end])))
        for cue, end in zip(cues, ends, strict=True)
    ]
    until = [*starts[1:], *(start + _LAST_MS for start in starts[-1:])]
    return _clean(map(TimedLine, starts, until, shown))


def read_sbv(text: str) -> list[TimedLine]:
    """Read the captions of YouTube: two times on a line, then the words up to an empty line."""
    cues: list[TimedLine] = []
    for line in text.split("\n"):
        if found := _SBV_TIMES.fullmatch(line.strip()):
            start, end = (_read_time(*found.groups()[at : at + 4]) for at in (0, 4))
            cues.append(TimedLine(start, end, ""))
        elif cues and line.strip():
            cues[-1] = cues[-1]._replace(text=f"{cues[-1].text}\n{line}")
    return _clean(cues)


def read_ttml(text: str) -> list[TimedLine]:
    """Read TTML, also as DFXP: each paragraph, or its parts where all of its words are in parts with times. What is no XML has no cue."""
    try:
        root = parse_xml(_XML_HEAD.sub("", text, count=1).encode(), "ttml", [])
    except DocumentDamagedError:
        return []
    rates = {str(name).rpartition("}")[2]: value for name, value in root.attrib.items()}
    units = {
        **_UNITS_MS,
        "f": 1000 / _read_rate(rates.get("frameRate"), _USUAL_FRAMES),
        "t": 1000 / _read_rate(rates.get("tickRate"), 1),
    }
    cues: list[TimedLine] = []
    for each in (part for paragraph in root.iterfind(".//{*}body//{*}p") for part in _timed_parts(paragraph)):
        begins = [_read_clock(found, units) for found in each.xpath("descendant-or-self::*/@begin")]
        begin = next((time for time in begins if time is not None), 0)
        before = sum(_read_clock(outer.get("begin"), units) or 0 for outer in each.iterancestors())
        length, end = _read_clock(each.get("dur"), units), _read_clock(each.get("end"), units)
        last = end if end is not None else begin + (_LAST_MS if length is None else length)
        parts = each.xpath(".//text()|.//*[local-name()='br']")
        words = "".join(part if isinstance(part, str) else "\n" for part in parts)
        cues.append(TimedLine(min(before + begin, MAX_MS), min(before + last, MAX_MS), words))
    return _clean(cues)


def _timed_parts(paragraph: Any) -> list[Any]:
    """Return the outermost parts with times if all words of a paragraph are in them, else the paragraph."""
    inside = "ancestor::*[local-name()='span'][@begin]"
    has_others = paragraph.xpath(f".//text()[normalize-space()][not({inside})]")
    return list(paragraph.xpath(f".//*[@begin][not({inside})]")) if not has_others else [paragraph]


def _read_rate(text: str | None, usual: int) -> int:
    return int(text) if text and re.fullmatch(r"[1-9]\d{0,8}", text) else usual


def _read_clock(text: str | None, units: Mapping[str, float]) -> int | None:
    """Return a time of TTML in milliseconds: `00:00:01.500`, `00:00:01:12` with frames, or `1.5s` and the like."""
    if found := _TTML_OFFSET.fullmatch(text or ""):
        return round(float(found[1]) * units[found[2]])
    if found := _TTML_CLOCK.fullmatch(text or ""):
        hours, minutes, seconds, fraction, frames = found.groups()
        return _read_time(hours, minutes, seconds, fraction or "0") + round(int(frames or 0) * units["f"])
    return None


def list_lrc_tags(text: str) -> list[tuple[str, str]]:
    """Return the tags of LRC, such as its title (`ti`) and artist (`ar`), in their order."""
    found = (_LRC_TAG.match(line) for line in text.split("\n"))
    return [(each[1], each[2].strip()) for each in found if each]


def _milliseconds(seconds: float) -> int:
    return min(max(round(seconds * 1000), 0), MAX_MS)


def _clean(cues: Iterable[TimedLine]) -> list[TimedLine]:
    """Return cues in order of time, each on one line without markup.

    Captions that are made while somebody speaks roll up: more than half of the cues repeat a line of the one before. Of these
    each line is kept once.
    """
    cleaned = [
        TimedLine(
            cue.start_ms, max(cue.end_ms, cue.start_ms), "\n".join(split_lines(_TAGS.sub("", cue.text)))
        )
        for cue in cues
    ]
    cleaned.sort(key=lambda cue: cue.start_ms)
    befores = [None, *cleaned]
    shown = [_lines_before(before, cue) for before, cue in zip(befores, cleaned, strict=False)]
    repeated = sum(
        not lines.isdisjoint(cue.text.split("\n")) for cue, lines in zip(cleaned, shown, strict=True)
    )
    is_rolling = repeated * 2 > len(cleaned)
    return list(_join_lines(cleaned, shown if is_rolling else [frozenset()] * len(cleaned)))


def _lines_before(before: TimedLine | None, cue: TimedLine) -> frozenset[str]:
    """The lines of the cue before another, if they still stand there."""
    is_shown = before is not None and cue.start_ms - before.end_ms <= _SAME_MS
    return frozenset(before.text.split("\n") if before is not None and is_shown else ())


def _join_lines(cues: Iterable[TimedLine], shown: Iterable[frozenset[str]]) -> Iterator[TimedLine]:
    """Yield the cues on one line each, without the lines that were shown before; none that says nothing."""
    for cue, before in zip(cues, shown, strict=True):
        text = " ".join(line.strip() for line in cue.text.split("\n") if line.strip() and line not in before)
        if text:
            yield cue._replace(text=text)


SUBTITLES_VERSION = ParserVersion("subtitles-v1")
_READERS = {
    "srt": read_srt,
    "vtt": read_vtt,
    "lrc": read_lrc,
    "smi": read_sami,
    "ass": read_ass,
    "sbv": read_sbv,
    "ttml": read_ttml,
}


class SubtitleExtractor(IsolatedExtractor):
    """Extractor of SubRip, WebVTT, LRC, SAMI, SubStation Alpha, TTML and captions of YouTube. Its parser is given text by strangers, so that it runs in workers."""

    kind = "subtitles"
    version = SUBTITLES_VERSION
    agent = "kebab-parse-audio"

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read one file. Spans are stretches of time; each cue is a part of the text.

        Returns:
            The document. An empty file has a warning.

        Raises:
            UnsupportedMediaError: It is no text, or no line of it has a time.
        """
        media = context.asset.media_type
        kind = media.format if isinstance(media, SubtitlesMedia) else "srt"
        decoded = decode_text(content)
        lines = _READERS[kind](decoded.text)
        if not lines and decoded.text.strip():
            raise UnsupportedMediaError("no line of it has a time, as subtitles do", media=kind)
        values: dict[str, JsonValue] = {}
        if kind == "lrc":
            tags = dict(list_lrc_tags(decoded.text))
            values = {
                name: tags[tag]
                for tag, name in (("ti", "title"), ("ar", "artist"), ("al", "album"))
                if tags.get(tag)
            }
        blocks, text = write_timed_text(self._identify(context), lines)
        warnings: list[Message | None] = [decoded.warning]
        return self._build(context, blocks, text, values=values, warnings=warnings)

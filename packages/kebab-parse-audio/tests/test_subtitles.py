"""Subtitles as documents that are cited by time."""

import pytest
from kebab_core import (
    CanonicalDocument,
    Extractor,
    HeadingBlock,
    MediaType,
    SubtitlesFormat,
    SubtitlesMedia,
    TimeSpan,
    UnsupportedMediaError,
    document_id_for,
)
from kebab_parse_audio import Chapter, SubtitleExtractor, TimedLine, read_srt, read_vtt, write_timed_text
from kebab_testing.documents import make_context
from kebab_testing.laws.extractor import ExtractorLaws

SRT = """1
00:00:01,000 --> 00:00:04,000
<i>예산은</i> 삼백만 원으로
합의했습니다.

2
00:00:04,500 --> 00:00:09,000
{\\an8}다음 회의는 사월 초입니다.

3
00:01:10,000 --> 00:01:12,000
Thank you.
"""
VTT = """WEBVTT

NOTE made by hand

intro
00:01.000 --> 00:03.000
<v Jisoo>The budget is</v>

00:03.000 --> 00:05.000
<v Jisoo>three million.</v>

00:05.000 --> 00:07.000 align:start
<v Minho>Agreed.</v>
"""
LRC = "[ti:Harbour]\n[ar:The Gulls]\n[offset:+500]\n[00:01.50][00:20.5]We sail at noon\n[00:10]And home by night\n"


def extract(text: str, kind: SubtitlesFormat, encoding: str = "utf-8") -> CanonicalDocument:
    content = text.encode(encoding)
    context = make_context(content, path=f"talks/meeting.{kind}", media_type=SubtitlesMedia(format=kind))
    return SubtitleExtractor().extract(context, content)


def list_parts(document: CanonicalDocument) -> list[tuple[str, int, int]]:
    assert document.text is not None
    return [
        (
            document.text.text[part.start : part.end].strip(),
            part.source_span.start_ms,
            part.source_span.end_ms,
        )
        for part in document.text.parts
        if isinstance(part.source_span, TimeSpan)
    ]


class TestSubtitleExtractor(ExtractorLaws):
    def make_extractor(self) -> Extractor:
        return SubtitleExtractor()

    def media_type(self) -> MediaType:
        return SubtitlesMedia(format="srt")

    def samples(self) -> list[bytes]:
        return [SRT.encode(), b"", SRT.encode("cp949")]


def test_each_cue_is_a_part_with_its_time_and_without_its_markup() -> None:
    assert list_parts(extract(SRT, "srt")) == [
        ("예산은 삼백만 원으로 합의했습니다.", 1000, 4000),
        ("다음 회의는 사월 초입니다.", 4500, 9000),
        ("Thank you.", 70_000, 72_000),
    ]
    assert list_parts(extract(SRT, "srt", "cp949")) == list_parts(extract(SRT, "srt"))


def test_numbers_beyond_any_time_cost_no_other_cue() -> None:
    long = "9" * 5000
    text = f"{long}\n00:00:01,000 --> {long}:00:04,000\n{long}\n\n2\n00:00:02,000 --> 00:00:03,{long}\nlast\n"
    assert [(line.start_ms, line.text) for line in read_srt(text)] == [(1000, long), (2000, "last")]


def test_a_voice_is_named_where_it_begins_a_sentence() -> None:
    assert [text for text, *_ in list_parts(extract(VTT, "vtt"))] == [
        "Jisoo: The budget is",
        "three million.",
        "Minho: Agreed.",
    ]


def test_lyrics_end_where_the_next_line_begins_and_have_their_title() -> None:
    document = extract(LRC, "lrc")
    assert (document.title, document.metadata.user["artist"]) == ("Harbour", "The Gulls")
    assert list_parts(document) == [
        ("We sail at noon", 1000, 9500),
        ("And home by night", 9500, 20_000),
        ("We sail at noon", 20_000, 25_000),
    ]


def test_cues_of_sami_end_where_the_next_begins() -> None:
    sami = (
        "<SAMI><HEAD><TITLE>x</TITLE></HEAD><BODY>\n<SYNC Start=1000><P Class=KRCC>회의를<br>시작합니다.\n"
        "<sync start='3000'><p class=KRCC>&nbsp;\n<SYNC Start=4000><P Class=KRCC>네 &amp; 아니오.<P Class=ENCC><i>Yes.</i>\n</BODY></SAMI>"
    )
    for encoding in ("utf-8", "cp949"):
        assert list_parts(extract(sami, "smi", encoding)) == [
            ("회의를 시작합니다.", 1000, 3000),
            ("네 & 아니오. Yes.", 4000, 9000),
        ]


def test_lines_of_substation_alpha_have_their_times_and_voices_and_no_drawings() -> None:
    ass = (
        "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n\n[Events]\n"
        "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
        "Dialogue: 0,0:00:04.00,0:00:06.50,Default,,0,0,0,,돛을 올려, 지금{note}.\n"
        "Dialogue: 0,0:00:01.00,0:00:03.00,Default,Otto,0,0,0,,The anchor is {\\i1}stuck{\\i0}.\\NPull!\n"
        "Comment: 0,0:00:01.00,0:00:03.00,Default,,0,0,0,,for the editor\n"
        "Dialogue: 0,0:00:02.00,0:00:03.00,Default,,0,0,0,,{\\p1}m 0 0 l 100 0{\\p0}\n"
        "Dialogue: 0,x,0:00:03.00,Default,,0,0,0,,no time\n"
    )
    assert list_parts(extract(ass, "ass")) == [
        ("Otto: The anchor is stuck. Pull!", 1000, 3000),
        ("돛을 올려, 지금.", 4000, 6500),
    ]


def test_ttml_has_clocks_frames_offsets_and_times_of_parts() -> None:
    ttml = (
        '<?xml version="1.0" encoding="EUC-KR"?><tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" '
        'ttp:frameRate="25" ttp:tickRate="10000000"><head><p>x</p></head><body><div>\n'
        '<p begin="00:00:01.000" end="00:00:04.000">조력\n  발전소는<br/>만조에 멈춘다</p>\n'
        '<p begin="5s" dur="2.5s"><span>Low tide.</span></p><p begin="100000000t" end="120000000t">고맙습니다</p>'
        '<p begin="00:00:14:12">끝</p></div><div begin="1m"><p><span begin="0s" end="900ms">a</span> '
        '<span begin="1s" end="2s">b</span></p></div></body></tt>'
    )
    for encoding in ("utf-8", "euc-kr"):
        assert list_parts(extract(ttml, "ttml", encoding)) == [
            ("조력 발전소는 만조에 멈춘다", 1000, 4000),
            ("Low tide.", 5000, 7500),
            ("고맙습니다", 10_000, 12_000),
            ("끝", 14_480, 19_480),
            ("a", 60_000, 60_900),
            ("b", 61_000, 62_000),
        ]


def test_words_of_ttml_without_a_time_of_their_own_are_kept() -> None:
    ttml = (
        '<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="1s" end="3s">The <span begin="1s">kiln <span begin="1.5s">cools</span></span></p>'
        '<p>Then <span begin="4s" end="6s">open it</span></p></div><div begin="8s"><p>천천히</p></div></body></tt>'
    )
    assert list_parts(extract(ttml, "ttml")) == [
        ("The kiln cools", 1000, 3000),
        ("Then open it", 4000, 9000),
        ("천천히", 8000, 13_000),
    ]


def test_captions_of_youtube_have_two_times_on_a_line() -> None:
    sbv = (
        "0:00:01.000,0:00:03.500\nThe kiln must\nreach cone six.\n\n0:00:04.000,0:00:06.000\n천천히 식힌다.\n"
    )
    assert list_parts(extract(sbv, "sbv")) == [
        ("The kiln must reach cone six.", 1000, 3500),
        ("천천히 식힌다.", 4000, 6000),
    ]


def test_captions_that_roll_up_say_each_line_once_and_a_refrain_as_often_as_it_is_sung() -> None:
    rolling = "WEBVTT\n\n00:00.000 --> 00:02.000\nhello\n\n00:02.000 --> 00:02.010\nhello\n\n00:02.010 --> 00:04.000\nhello\nworld\n"
    assert [line.text for line in read_vtt(rolling)] == ["hello", "world"]
    sung = "\n\n".join(
        f"{number}\n00:00:0{number},000 --> 00:00:0{number + 1},000\n{text}"
        for number, text in enumerate(["Row", "La la", "La la", "Boat"], 1)
    )
    assert [line.text for line in read_srt(sung)] == ["Row", "La la", "La la", "Boat"]


def test_paragraphs_end_with_a_sentence_after_twenty_seconds_and_never_last_longer_than_sixty() -> None:
    lines = [
        TimedLine(at * 5000, at * 5000 + 5000, f"Line {at}{'.' if at % 3 == 2 else ''}") for at in range(12)
    ]
    lines += [TimedLine(60_000 + at * 7000, 67_000 + at * 7000, f"and {at}") for at in range(20)]
    blocks, _ = write_timed_text(make_id(), lines)
    spans = [block.source_span for block in blocks if isinstance(block.source_span, TimeSpan)]
    assert [(span.start_ms, span.end_ms) for span in spans[:2]] == [(0, 30_000), (30_000, 60_000)]
    assert all(span.end_ms - span.start_ms <= 60_000 for span in spans)


def test_chapters_are_headings_cited_with_what_is_said_in_them() -> None:
    lines = [
        TimedLine(0, 4000, "Before."),
        TimedLine(6000, 9000, "Welcome."),
        TimedLine(20_000, 22_000, "Bye."),
    ]
    chapters = [
        Chapter(5000, 10_000, "인사"),
        Chapter(10_000, 15_000, "빈 장"),
        Chapter(15_000, 30_000, "End"),
    ]
    blocks, text = write_timed_text(make_id(), lines, chapters)
    headings = [(block.text, block.source_span) for block in blocks if isinstance(block, HeadingBlock)]
    assert headings == [
        ("인사", TimeSpan(start_ms=6000, end_ms=9000)),
        ("빈 장", TimeSpan(start_ms=10_000, end_ms=10_000)),
        ("End", TimeSpan(start_ms=20_000, end_ms=22_000)),
    ]
    assert text.text == "Before.\n\n# 인사\n\nWelcome.\n\n# 빈 장\n\n# End\n\nBye."


@pytest.mark.parametrize("kind", ["srt", "vtt", "lrc", "smi", "ass", "sbv", "ttml"])
def test_text_without_times_is_no_subtitles(kind: SubtitlesFormat) -> None:
    with pytest.raises(UnsupportedMediaError, match="no line of it has a time"):
        extract("Dear diary, nothing happened at 10:30 today.\n", kind)


def make_id() -> object:
    context = make_context(b"")
    return document_id_for(
        workspace_path=context.asset.workspace_path,
        asset_id=context.asset.asset_id,
        parser_version="subtitles-v1",
        source_id=context.source_id,
    )

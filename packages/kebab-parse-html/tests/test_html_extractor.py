"""The extractor of pages: laws, metadata, encodings and what is main text."""

from __future__ import annotations

import plistlib

import pytest
from hypothesis import given, strategies as st
from kebab_core import CanonicalDocument, HtmlMedia, MediaType, UnsupportedMediaError
from kebab_parse_html import HtmlExtractor
from kebab_testing.documents import make_context
from kebab_testing.laws.extractor import ExtractorLaws
from kebab_testing.saved_pages import marked_words, saved_pages

ARTICLE = "".join(
    f"<p>Sentence {number} of the article says something about vinegar.</p>" for number in range(12)
)
PAGE = f"""<!doctype html><html lang="en-US"><head><meta charset="utf-8"><title>Vinegar | The Shop</title>
<meta name="description" content="All about barrels."><meta name="keywords" content="vinegar, oil">
<meta name="author" content="Kim"><meta property="article:published_time" content="2024-03-01T09:00:00+09:00">
<link rel="canonical" href="https://shop.example/v"><style>p {{ color: red }}</style><script>var hidden;</script></head>
<body><header><a href="/">Home</a> <a href="/a">About</a></header>
<nav><ul><li><a href="/1">One</a><li><a href="/2">Two</a></ul></nav>
<div id="cookie-banner">We use cookies. <button>Accept all</button></div>
<main><h1>Vinegar</h1>{ARTICLE}<div style="display: none">secret words</div><form><input value="typed">
<select><option>Choice</select></form></main><footer>Open nine to six. <a href="/imprint">Imprint of the shop</a></footer></body></html>"""


class TestHtmlLaws(ExtractorLaws):
    def make_extractor(self) -> HtmlExtractor:
        return HtmlExtractor()

    def media_type(self) -> MediaType:
        return HtmlMedia()

    def samples(self) -> list[bytes]:
        return [PAGE.encode(), b"<p>short", "<h1>제목</h1><ul><li>하나<li>둘</ul>".encode("euc-kr")]


def test_what_a_reader_sees_is_read_and_navigation_is_not(text_of) -> None:  # type: ignore[no-untyped-def]
    text = text_of(PAGE)
    assert text.count("of the article") == 12
    assert "Open nine to six." in text
    for left_out in ("cookies", "Accept", "About", "secret", "color", "hidden", "typed", "Choice"):
        assert left_out not in text


@pytest.mark.parametrize("kind", saved_pages())
def test_of_every_kind_of_page_all_text_is_read_and_no_navigation(text_of, kind: str) -> None:  # type: ignore[no-untyped-def]
    page = saved_pages()[kind]
    text, _navigation = marked_words(page)
    assert marked_words(text_of(page)) == (text, set())


def test_what_is_left_out_is_told_with_its_first_words_and_its_size(read) -> None:  # type: ignore[no-untyped-def]
    navigation, hidden, choices = _notes(read(PAGE))
    assert navigation.startswith(
        "28 of 648 characters were left out as navigation: “One Two We use cookies.” (19)"
    )
    assert navigation.endswith("“Home About” (9)")
    assert hidden.endswith("since the page hides them: “secret words” (11)")
    assert choices == "6 of 648 characters were left out as choices of forms: “Choice” (6)"
    assert _notes(read(f"<nav>{ARTICLE}</nav>")) == []


def _notes(document: CanonicalDocument) -> list[str]:
    return [event.note or "" for event in document.provenance.events if event.kind == "normalized"]


def test_words_for_screen_readers_stay_where_what_is_shown_is_for_eyes_only(text_of) -> None:  # type: ignore[no-untyped-def]
    price = '<span aria-hidden="true">52.8k</span><span class="sr-only">52,800 won</span>'
    text = text_of(f"<p>{ARTICLE}</p><p>Price {price}</p><p class='sr-only'>Skip</p>")
    assert "52,800 won" in text
    assert "Skip" not in text


def test_what_a_page_says_about_itself_is_metadata(read) -> None:  # type: ignore[no-untyped-def]
    document = read(PAGE)
    assert (document.title, document.lang) == ("Vinegar", "en")
    assert document.metadata.tags == ("vinegar", "oil")
    assert document.metadata.created_at.isoformat() == "2024-03-01T00:00:00+00:00"
    assert document.metadata.user == {
        "author": "Kim",
        "description": "All about barrels.",
        "canonical_url": "https://shop.example/v",
    }
    assert document.blocks[0].text == "All about barrels."


def test_keywords_that_are_the_title_or_the_description_are_no_tags(read) -> None:  # type: ignore[no-untyped-def]
    head = '<title>bc, a calculator</title><meta name="description" content="A manual">'
    given = [
        f'{head}<meta name="keywords" content="{keywords}"><p>Text.'
        for keywords in ("bc, a calculator", "a  Manual", "bc, unix")
    ]
    assert [read(page).metadata.tags for page in given] == [(), (), ("bc", "unix")]


@pytest.mark.parametrize(
    ("title", "heading", "found"),
    [
        ("Rolling back a release - Ops blog", "Rolling back a release", "Rolling back a release"),
        ("Rolling back a release - Ops blog", "Ops blog", "Rolling back a release - Ops blog"),
        ("Explaining paintings", "AI", "Explaining paintings"),
    ],
    ids=["the page", "the site", "letters of a word"],
)
def test_a_heading_is_the_title_only_where_the_title_begins_with_it(
    read, title: str, heading: str, found: str
) -> None:  # type: ignore[no-untyped-def]
    assert read(f"<title>{title}</title><h1>{heading}</h1>{ARTICLE}").title == found


def test_a_link_of_a_heading_to_itself_that_is_a_sign_is_not_part_of_it(read) -> None:  # type: ignore[no-untyped-def]
    page = f'<h2>Keys<span><a href="#keys">#</a></span></h2>{ARTICLE}<h2>C<a href="#c">#</a><a href="#c">¶</a></h2><h2>F#</h2>'
    headings = [block.text for block in read(page).blocks if block.kind == "heading"]
    assert headings == ["Keys", "C", "F#"]


def test_linked_data_gives_dates_and_authors(read) -> None:  # type: ignore[no-untyped-def]
    data = '{"@graph": [{"@type": "Article", "datePublished": "2023-05-06", "author": [{"name": "Lee"}]}]}'
    document = read(f'<script type="application/ld+json">{data}</script><p>Text.')
    assert document.metadata.created_at.date().isoformat() == "2023-05-06"
    assert document.metadata.user["author"] == "Lee"


def test_a_declared_language_of_another_script_is_not_believed(read) -> None:  # type: ignore[no-untyped-def]
    assert read('<html lang="en"><p>환불은 7일 안에 됩니다.').lang == "ko"
    assert read('<html lang="de-AT"><p>Guten Tag.').lang == "de"


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ('<meta charset="euc-kr">', "cp949"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=ks_c_5601-1987">', "cp949"),
        ('<meta charset="utf-8">', "cp949"),
        ("", "cp949"),
        ("", "utf-8"),
        ("", "utf-8-sig"),
        ("", "utf-16"),
        ('<meta charset="euc-kr">', "utf-8"),
        ('<meta charset="iso-2022-kr">', "iso2022_kr"),
        ('<?xml version="1.0" encoding="EUC-KR"?>', "cp949"),
        ('<meta charset="iso-8859-1">', "cp949"),
        (f'<meta charset="utf-8">{"<div></div>" * 900}', "cp949"),
    ],
)
def test_korean_pages_are_read_in_every_encoding(text_of, declared: str, encoding: str) -> None:  # type: ignore[no-untyped-def]
    text = "환불 규정은 다음과 같습니다. 구매한 날부터 이레 안에 돌려줄 수 있습니다."
    assert text_of(f"{declared}<p>{text}</p>".encode(encoding)) == f"{text}\n"


@pytest.mark.parametrize("declared", ["iso-8859-1", "us-ascii", "utf-8"])
@pytest.mark.parametrize(
    "text",
    [
        "Été à la mer, où l'élève a mangé.",
        "“Ça va?” – À L’ÉCOLE ÉLÉMENTAIRE",
        "Þórður Ægir á Íslandi: það er gott.",
    ],
)
def test_western_pages_are_read_whatever_they_declare(text_of, declared: str, text: str) -> None:  # type: ignore[no-untyped-def]
    markup = "<div></div>" * 900
    assert text_of(f'<meta charset="{declared}">{markup}<p>{text}</p>'.encode("cp1252")) == f"{text}\n"


def test_a_page_that_scripts_write_says_so(read) -> None:  # type: ignore[no-untyped-def]
    document = read('<body><div id="root"></div><script src="app.js"></script>')
    assert document.blocks == ()
    assert any("scripts write it" in warning for warning in document.provenance.warnings)
    assert read("<p></p>").provenance.warnings == ("the document has no text",)


@pytest.mark.parametrize(
    "page",
    [
        f'<main aria-hidden="true">{ARTICLE}</main><div role="dialog">Subscribe</div>',
        f'<body class="has-sidebar"><div class="widget footer">{ARTICLE}</div>',
        f"<div hidden>{ARTICLE}</div>",
        f"<nav>{ARTICLE}</nav>",
        f"<div><form>{ARTICLE}</form></div>",
    ],
)
def test_no_name_or_state_of_an_element_hides_the_main_text(text_of, page: str) -> None:  # type: ignore[no-untyped-def]
    assert text_of(page).count("of the article") == 12


@pytest.mark.parametrize(
    ("title", "heading", "expected"),
    [
        ("The Shop", "<h1>Vinegar</h1>", "Vinegar"),
        ("The Shop", "", "The Shop"),
        ("draft.docx", "<h1>Vinegar</h1>", "Vinegar"),
        ("Untitled", "", "sample"),
    ],
)
def test_a_title_of_the_site_or_of_a_program_gives_way(read, title: str, heading: str, expected: str) -> None:  # type: ignore[no-untyped-def]
    site = '<meta property="og:site_name" content="The shop">'
    assert read(f"<title>{title}</title>{site}{heading}<p>{ARTICLE}</p>").title == expected


def test_a_page_of_links_keeps_them(text_of) -> None:  # type: ignore[no-untyped-def]
    links = "".join(f'<li><a href="{number}.html">Chapter {number}</a>' for number in range(9))
    assert text_of(f"<h1>Contents</h1><ul>{links}</ul>").count("Chapter") == 9


def test_a_page_saved_as_one_file_is_read(read) -> None:  # type: ignore[no-untyped-def]
    page = (
        b"From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.org/a\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/related; type="text/html"; boundary="XX"\r\n\r\n--XX\r\nContent-Type: text/html\r\n'
        b"Content-Transfer-Encoding: quoted-printable\r\nContent-Location: https://example.org/a\r\n\r\n"
        b"<title>One</title><p>soft=\r\n line =EA=B0=80</p>\r\n--XX--\r\n"
    )
    document = read(page, path="a.mhtml")
    assert (document.title, document.text.text) == ("One", "soft line 가\n")
    assert document.metadata.user["canonical_url"] == "https://example.org/a"


def test_a_web_archive_of_safari_is_read(read) -> None:  # type: ignore[no-untyped-def]
    resource = {
        "WebResourceData": "<title>Moss</title><p>2 mm a year 이끼</p>".encode("euc-kr"),
        "WebResourceTextEncodingName": "euc-kr",
        "WebResourceURL": "https://moss.example/",
    }
    archive = plistlib.dumps({"WebMainResource": resource}, fmt=plistlib.FMT_BINARY)
    document = read(archive, path="a.webarchive")
    assert (document.title, document.text.text) == ("Moss", "2 mm a year 이끼\n")
    assert document.metadata.user["canonical_url"] == "https://moss.example/"
    for other in (archive[:40], plistlib.dumps([1], fmt=plistlib.FMT_BINARY), b"bplist00"):
        with pytest.raises(UnsupportedMediaError):
            read(other, path="a.webarchive")


def test_further_frames_of_a_page_saved_as_one_file_are_told(read) -> None:  # type: ignore[no-untyped-def]
    frame = b"--X\r\nContent-Type: text/html\r\n\r\n<p>one\r\n"
    page = (
        b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=X\r\n\r\n" + 3 * frame + b"--X--\r\n"
    )
    assert read(page).provenance.warnings == ("2 frames of the page were not read",)


def test_words_of_a_drawing_are_read(text_of) -> None:  # type: ignore[no-untyped-def]
    label = '<foreignObject width="9"><div xmlns="http://www.w3.org/1999/xhtml">Third <b>step</b></div></foreignObject>'
    drawing = f"<svg><style>.a {{}}</style><g><text>First <tspan>step</tspan></text></g>{label}</svg>"
    assert text_of(f"<p>Before</p><figure>{drawing}</figure><p>after</p>").split("\n\n") == [
        "Before",
        "First step",
        "Third step",
        "after\n",
    ]


def test_frames_and_shadow_trees_that_stand_in_the_page_are_part_of_it(text_of) -> None:  # type: ignore[no-untyped-def]
    inner = "<p>Opening hours</p><iframe srcdoc='&lt;p&gt;Nine to six&lt;/p&gt;'></iframe>".replace(
        "&", "&amp;"
    ).replace("'", "&quot;")
    page = (
        f"<p>First</p><iframe srcdoc='{inner}'></iframe><x-card><template shadowrootmode=open><style>p {{}}</style><p>Price</p><slot></slot>"
        "</template><b>52,800</b></x-card><template><p>Unused</p></template><textarea>Copy\n  this &lt;code&gt;</textarea><p>Last</p>"
    )
    text = text_of(page)
    assert text.split() == [
        "First",
        "Opening",
        "hours",
        "Nine",
        "to",
        "six",
        "Price",
        "52,800",
        "```",
        "Copy",
        "this",
        "<code>",
        "```",
        "Last",
    ]


def test_choices_of_a_form_are_read_where_the_page_has_nothing_else(text_of) -> None:  # type: ignore[no-untyped-def]
    assert "Kimchi" in text_of("<form><select><option>Kimchi<option>Bread</select></form>")


def test_an_archive_without_a_page_is_an_error(read) -> None:  # type: ignore[no-untyped-def]
    picture = b"--X\nContent-Type: image/png\n\nx\n--X--\n"
    with pytest.raises(UnsupportedMediaError):
        read(b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=X\n\n" + picture)


MARKUP = "<p>,</p>,<table>,<td>,<ul><li>,</ul>,<pre>,<a href=x>,</a>,<blockquote>,<h1>,<dl><dt>,<dd>,<br>,<th colspan=3>,<nav>,word "


@given(st.lists(st.sampled_from(MARKUP.split(",")), max_size=40))
def test_any_page_is_read_with_spans_inside_its_text(parts: list[str]) -> None:
    content = "".join(parts).encode()
    document = HtmlExtractor().extract(make_context(content, media_type=HtmlMedia()), content)
    assert document.text is not None
    lines = document.text.text.count("\n")
    assert all(block.source_span.end <= lines for block in document.blocks)  # type: ignore[union-attr]
    assert ("word" in document.text.text) == ("word " in parts)


def test_an_aside_of_an_article_stays_if_it_says_something(text_of) -> None:  # type: ignore[no-untyped-def]
    note = (
        "<aside><h4>참고</h4><p>식초는 유리병에 담는다. <a href='/g'>유리</a>가 가장 낫다고 한다.</p></aside>"
    )
    links = "<aside><h4>관련 글</h4><p><a href='/1'>식초 고르는 법</a> <a href='/2'>기름</a></p></aside>"
    ad = "<aside><div class='newsletter'>소식지를 받아 보세요. <input type='email'></div></aside>"
    text = text_of(f"<article>{ARTICLE}{note}{links}{ad}</article><aside>가게 안내와 주소</aside>")
    assert "유리병에 담는다" in text
    assert "가게 안내" in text
    for left_out in ("관련 글", "고르는 법", "소식지"):
        assert left_out not in text


def test_rows_of_teasers_are_left_out_and_lists_with_remarks_are_not(text_of) -> None:  # type: ignore[no-untyped-def]
    teasers = "".join(
        f"<div class='box'><h3><a href='/{number}'>다른 기사 {number}</a></h3><p>짧은 소개 {number}</p></div>"
        for number in range(4)
    )
    entries = "".join(
        f"<li><a href='/{name}'>{name}</a>: 이것은 {name}에 관한 설명이다.</li>"
        for name in ("병", "통", "잔")
    )
    text = text_of(f"<body>{ARTICLE}<ul>{entries}</ul><div>{teasers}</div></body>")
    assert "통에 관한 설명" in text
    assert "다른 기사" not in text
    assert "짧은 소개" not in text


def test_a_page_of_teasers_keeps_them(text_of) -> None:  # type: ignore[no-untyped-def]
    teasers = "".join(
        f"<div><h3><a href='/{number}'>기사 {number}</a></h3><p>{'이 기사를 길게 소개한다. ' * 12}</p></div>"
        for number in range(6)
    )
    assert text_of(f"<body><div>{teasers}</div></body>").count("소개한다") == 72


def test_answers_that_open_below_their_question_stay(text_of) -> None:  # type: ignore[no-untyped-def]
    page = (
        "<h1>Help</h1><p>Ask us anything about your order, from nine to five, on every day but Sunday.</p>"
        '<h2>How do I return goods?</h2><div style="display:none">Send them back with the orange slip.</div>'
        '<a aria-controls="pay" href="#pay">Paying</a><div id="pay" hidden>We take cards.</div>'
        '<p style="display:none">Loading</p>'
    )
    text = text_of(page)
    assert "Send them back with the orange slip." in text
    assert "We take cards." in text
    assert "Loading" not in text


def test_a_page_of_which_most_is_hidden_keeps_all_of_it(text_of) -> None:  # type: ignore[no-untyped-def]
    parts = "".join(f'<p style="display:none">Paragraph {n} of the story.</p>' for n in range(9))
    assert "Paragraph 8 of the story." in text_of(f"<h1>Story</h1><p>Read on.</p>{parts}")


def test_shadow_trees_too_far_inside_each_other_are_told(read) -> None:  # type: ignore[no-untyped-def]
    page = "<p>Level 7</p>"
    for level in range(6, -1, -1):
        page = f"<p>Level {level}</p><x-card><template shadowrootmode=open>{page}</template></x-card>"
    document = read(page)
    assert document.text.text.split() == [word for level in range(6) for word in ("Level", str(level))]
    assert document.provenance.warnings == ("frames more than 5 deep inside each other are not read",)

"""What a reader sees beside the text of office files: charts, diagrams, shapes, and what all slides or pages show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import BytesIO
from struct import pack as pack_fields
from zipfile import ZipFile

import openpyxl
from kebab_core import CanonicalDocument, CellSpan, OfficeFormat, ParagraphBlock, TableBlock
from kebab_testing.office_files import (
    open_document,
    pack,
    paragraph,
    relationships,
    shape,
    slide_file,
    word_file,
    xls_workbook,
)
from openpyxl.chart import LineChart, Reference
from openpyxl.chart.series import SeriesLabel

Read = Callable[[bytes, OfficeFormat], CanonicalDocument]
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
_TEXT = "urn:oasis:names:tc:opendocument:xmlns"
CHART = (
    f'<c:chartSpace xmlns:c="{_DRAWING}/chart" xmlns:a="{_DRAWING}/main"><c:chart>'
    "<c:title><c:tx><c:rich><a:p><a:r><a:t>분기별 매출</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea>"
    "<c:lineChart><c:ser><c:tx><c:v>서울</c:v></c:tx>"
    "<c:cat><c:strRef><c:strCache><c:pt idx='0'><c:v>1분기</c:v></c:pt></c:strCache></c:strRef></c:cat>"
    "<c:val><c:numRef><c:numCache><c:pt idx='0'><c:v>12</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:lineChart>"
    "<c:valAx><c:title><c:tx><c:rich><a:p><a:r><a:t>억 원</a:t></a:r></a:p></c:rich></c:tx></c:title></c:valAx>"
    "</c:plotArea></c:chart></c:chartSpace>"
)
DIAGRAM = (
    f'<d:dataModel xmlns:d="{_DRAWING}/diagram" xmlns:a="{_DRAWING}/main"><d:ptLst>'
    "<d:pt><d:t><a:p><a:r><a:t>접수</a:t></a:r></a:p></d:t></d:pt><d:pt><d:t><a:p><a:r><a:t>심사</a:t></a:r></a:p></d:t></d:pt>"
    "</d:ptLst></d:dataModel>"
)
OPEN_CHART = (
    f'<office:document-content xmlns:office="{_TEXT}:office:1.0" xmlns:chart="{_TEXT}:chart:1.0" xmlns:text="{_TEXT}:text:1.0"'
    f' xmlns:table="{_TEXT}:table:1.0"><chart:chart><chart:title><text:p>분기별 매출</text:p></chart:title>'
    "<table:table><table:table-row><table:table-cell><text:p>1분기</text:p></table:table-cell>"
    "<table:table-cell><text:p>12</text:p></table:table-cell></table:table-row></table:table>"
    "</chart:chart></office:document-content>"
)


def with_parts(content: bytes, parts: Mapping[str, str | bytes]) -> bytes:
    """Return a file with these members, in place of those of the same names."""
    with ZipFile(BytesIO(content)) as before:
        return pack({name: before.read(name) for name in before.namelist()} | dict(parts))


def texts_of(document: CanonicalDocument) -> list[str]:
    assert document.text is not None
    return document.text.text.split()


def paragraphs_of(document: CanonicalDocument) -> list[tuple[str, object]]:
    return [(each.text, each.source_span) for each in document.blocks if isinstance(each, ParagraphBlock)]


def test_charts_and_diagrams_of_a_text_document_are_read_where_they_stand(read: Read) -> None:
    graphic = '<w:p><w:r><w:drawing><a:graphic xmlns:a="{main}"><a:graphicData>{shown}</a:graphicData></a:graphic></w:drawing></w:r></w:p>'
    chart = graphic.format(
        main=f"{_DRAWING}/main", shown=f'<c:chart xmlns:c="{_DRAWING}/chart" r:id="chart1"/>'
    )
    diagram = graphic.format(
        main=f"{_DRAWING}/main", shown=f'<d:relIds xmlns:d="{_DRAWING}/diagram" r:dm="diagramData1"/>'
    )
    body = paragraph("앞") + chart + diagram + paragraph("뒤")
    links = relationships(("chart1", "chart", "c.xml"), ("diagramData1", "diagramData", "d.xml"))
    parts = {"word/_rels/document.xml.rels": links, "word/c.xml": CHART, "word/d.xml": DIAGRAM}
    document = read(with_parts(word_file(body), parts), "docx")
    (table,) = (each for each in document.blocks if isinstance(each, TableBlock))
    assert [text for text, _ in paragraphs_of(document)] == [
        "앞",
        "분기별 매출",
        "억 원",
        "접수",
        "심사",
        "뒤",
    ]
    assert (table.headers, table.rows) == (("", "서울"), (("1분기", "12"),))


def test_a_chart_of_an_open_text_document_is_read(read: Read) -> None:
    body = '<text:p>앞<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>'
    document = read(with_parts(open_document("text", body), {"Object 1/content.xml": OPEN_CHART}), "odt")
    assert {"앞", "분기별", "1분기", "12"} <= set(texts_of(document))


def test_shapes_and_charts_of_a_workbook_are_read_at_their_cells(read: Read) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "매출"
    for row in (("분기", "금액"), ("1분기", 12), ("2분기", 15)):
        sheet.append(row)
    chart = LineChart()
    chart.title, chart.y_axis.title = "분기별 매출", "억 원"
    chart.add_data(Reference(sheet, min_col=2, min_row=2, max_row=3))
    chart.series[0].tx = SeriesLabel(v="서울")
    sheet.add_chart(chart, "D2")
    buffer = BytesIO()
    book.properties.creator = None
    book.save(buffer)
    box = (
        f'<xdr:twoCellAnchor xmlns:xdr="{_DRAWING}/spreadsheetDrawing" xmlns:a="{_DRAWING}/main">'
        "<xdr:from><xdr:col>1</xdr:col><xdr:row>9</xdr:row></xdr:from><xdr:to><xdr:col>3</xdr:col><xdr:row>11</xdr:row></xdr:to>"
        "<xdr:grpSp><xdr:sp><xdr:txBody><a:p><a:r><a:t>부가세 별도</a:t></a:r></a:p><a:p><a:r><a:t>4월 확정</a:t></a:r></a:p>"
        "</xdr:txBody></xdr:sp></xdr:grpSp></xdr:twoCellAnchor>"
    )
    name = "xl/drawings/drawing1.xml"
    with ZipFile(buffer) as archive:
        head, _, end = archive.read(name).decode().rpartition("</")
    document = read(with_parts(buffer.getvalue(), {name: f"{head}{box}</{end}"}), "xlsx")
    (shown, place), (said, where) = paragraphs_of(document)
    assert shown.split("\n") == ["분기별 매출", "억 원", "서울"]
    assert isinstance(place, CellSpan)
    assert (place.sheet, str(place.cells).split(":")[0]) == ("매출", "D2")
    assert (said, where) == ("부가세 별도\n4월 확정", CellSpan(sheet="매출", cells="B10:D12"))
    assert document.text is not None
    (part,) = (each for each in document.text.parts if each.source_span == where)
    assert document.text.text[part.start : part.end] == "부가세 별도\n4월 확정\n"


def test_shapes_and_charts_of_an_open_sheet_are_read(read: Read) -> None:
    box = "<draw:custom-shape><text:p>{text}</text:p></draw:custom-shape>"
    cell = "<table:table-cell{more}>{content}</table:table-cell>"
    chart = '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'
    table = (
        f'<table:table table:name="매출"><table:shapes>{box.format(text="초안")}</table:shapes><table:table-row>'
        + cell.format(more=' table:number-columns-repeated="2"', content="")
        + cell.format(more="", content="<text:p>합계</text:p>" + box.format(text="부가세 별도") + chart)
        + "</table:table-row></table:table>"
    )
    pages = '<style:master-page style:name="Default"><style:header><text:p>3팀</text:p></style:header></style:master-page>'
    file = with_parts(open_document("spreadsheet", table, pages=pages), {"Object 1/content.xml": OPEN_CHART})
    document = read(file, "ods")
    found = [(text, span.cells) for text, span in paragraphs_of(document) if isinstance(span, CellSpan)]
    assert found == [("초안", "A1"), ("부가세 별도", "C1"), ("분기별 매출", "C1"), ("3팀", "C1")]


def test_headers_boxes_and_charts_of_an_older_workbook_are_read(read: Read) -> None:
    def record(kind: int, content: bytes) -> bytes:
        return pack_fields("<HH", kind, len(content)) + content

    def spelt(text: str, size: str) -> bytes:
        return pack_fields(f"<{size}B", len(text), 1) + text.encode("utf-16-le")

    def drawn(kind: int, *anchor: int) -> bytes:
        place = pack_fields("<HHII", 0, 0xF010, 18, 0)[:-4] + pack_fields("<9H", 0, *anchor)
        return record(0xEC, place) + record(0x5D, pack_fields("<HHHH", 0x15, 0x12, kind, 1) + bytes(14))

    def box(text: str, kind: int = 6) -> bytes:
        half = len(text) // 2
        said = record(0x1B6, bytes(10) + pack_fields("<HHI", len(text), 0, 0))
        said += record(0x3C, b"\x01" + text[:half].encode("utf-16-le"))
        said += record(0x3C, b"\x01" + text[half:].encode("utf-16-le"))
        return drawn(kind, 1, 0, 9, 0, 3, 0, 11, 0) + said

    start = record(0x809, pack_fields("<HHHHII", 0x600, 0x20, 0, 1997, 0, 6))
    chart = drawn(5, 4, 0, 1, 0, 9, 0, 15, 0) + start
    chart += record(0x100D, b"\0\0" + spelt("분기별 매출", "B")) + record(0x0A, b"")
    beside = record(0x14, spelt("&C&B대외비 &D", "H")) + record(0x15, spelt("&L3팀&R&P / &N", "H"))
    beside += box("부가세 별도") + box("메모", kind=0x19) + chart
    content = xls_workbook([["품목", "금액"], ["종이", (300, "0")]], name="정산")
    found = [
        (text, span.cells)
        for text, span in paragraphs_of(read(content[:-4] + beside + content[-4:], "xls"))
        if isinstance(span, CellSpan)
    ]
    assert found == [
        ("부가세 별도", "B10:D12"),
        ("분기별 매출", "E2:J16"),
        ("대외비", "A2:B2"),
        ("3팀", "A2:B2"),
    ]


def test_texts_of_a_master_are_read_once_with_the_first_slide_that_shows_them(read: Read) -> None:
    spaces = f'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="{_DRAWING}/main"'

    def page(root: str, *shapes: str) -> str:
        return f"<p:{root} {spaces}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:{root}>"

    slide = relationships(("l", "slideLayout", "../slideLayouts/l.xml"))
    parts = {
        "ppt/slides/_rels/slide2.xml.rels": slide,
        "ppt/slides/_rels/slide3.xml.rels": slide,
        "ppt/slideLayouts/l.xml": page(
            "sldLayout", shape("봄 워크숍"), shape("제목을 입력하십시오", kind="title")
        ),
        "ppt/slideLayouts/_rels/l.xml.rels": relationships(("m", "slideMaster", "../slideMasters/m.xml")),
        "ppt/slideMasters/m.xml": page("sldMaster", shape("대외비"), shape("마스터 본문", kind="body")),
    }
    document = read(with_parts(slide_file(shape("하나"), shape("둘"), shape("셋")), parts), "pptx")
    assert document.text is not None
    assert document.text.text.split("\n\n") == ["하나", "둘", "봄 워크숍", "대외비", "셋"]


def test_texts_of_an_open_master_are_read_once_unless_the_slide_hides_them(read: Read) -> None:
    page = '<draw:page draw:style-name="{style}" draw:master-page-name="M"><draw:frame><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame></draw:page>'
    slides = [
        page.format(style=style, text=text) for style, text in (("h", "하나"), ("s", "둘"), ("s", "셋"))
    ]
    styles = '<style:style style:name="h"><style:drawing-page-properties presentation:background-objects-visible="false"/></style:style>'
    master = (
        '<style:master-page style:name="M"><draw:custom-shape><text:p>대외비</text:p></draw:custom-shape>'
        '<draw:frame presentation:class="title" presentation:placeholder="true"><draw:text-box><text:p>제목을 입력하십시오</text:p></draw:text-box></draw:frame>'
        '<draw:frame presentation:class="footer"><draw:text-box><text:p><presentation:footer/>바닥</text:p></draw:text-box></draw:frame></style:master-page>'
    )
    document = read(open_document("presentation", "".join(slides), styles=styles, pages=master), "odp")
    assert document.text is not None
    assert document.text.text.split("\n\n") == ["하나", "둘", "대외비", "셋"]

"""Documents: alone, beside the hits, and pages of PDFs as pictures."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kebab_app import SOUND_TYPES, TIMED_MEDIA, find_open_command, find_sound, read_picture
from kebab_config import read_environment
from kebab_core import DocumentNotFoundError, FetchAddress, KebabError, StorageError
from starlette.responses import FileResponse, Response

from kebab_web.documents.panes import Pane, build_pane
from kebab_web.site import read_query

if TYPE_CHECKING:
    from kebab_app import DocumentView
    from starlette.datastructures import QueryParams
    from starlette.requests import Request

    from kebab_web.site import Site

_WIDTH = 1400
"""Pixels of a row of a picture where none are asked for."""
_MAX_ADDRESS = 4000
_RELATED = 12
_NO_CONTENT, _NOT_FOUND = 204, 404
_KEPT = {"cache-control": "private, max-age=3600"}
_SANDBOXED = {"content-security-policy": "default-src 'none'; sandbox"}


def read_cited(site: Site, request: Request) -> dict[str, Any]:
    """Read the document beside a page, which its address names (`d`): the values `cited` and `pane`, None where it names none."""
    cited = request.query_params.get("d", "")
    return {"cited": cited, "pane": read_pane(site, request, cited) if cited else None}


def read_pane(site: Site, request: Request, address: str) -> Pane:
    """Read the document that an address names, or a name that only one document has.

    Args:
        site: The knowledge base.
        request: Names the source of a claim (`c`) whose words are marked, else the query whose words are.
        address: The address.

    Raises:
        DocumentNotFoundError: No document has the address or the name.
        KebabError: As `App.read_document`.
    """
    address, query, at = address[:_MAX_ADDRESS], read_query(request), _read_number(request, "at")
    texts = _find_quotes(site, request.query_params.get("c", ""))
    try:
        return _build(site, site.app.read_document(address, texts=texts, query=query), at)
    except DocumentNotFoundError:
        path, _, fragment = address.partition("#")
        name = path.rpartition("/")[2].lower()
        found = [each.entry for each in site.app.find_names(name, limit=4)]
        exact = [
            each.to_address()
            for each in found
            if name in map(str.lower, (each.title, each.doc_path.stem, each.doc_path.rpartition("/")[2]))
        ]
        if len(exact) != 1:
            raise
        return _build(site, site.app.read_document(exact[0] + (f"#{fragment}" if fragment else "")))


def _build(site: Site, view: DocumentView, at: int | None = None) -> Pane:
    words = (*view.word_rectangles, *site.pictures.find_words(view))
    has_sound = view.document.media in TIMED_MEDIA and find_sound(site.app.base, view.found) is not None
    return replace(build_pane(view, at=at), words=words, has_sound=has_sound)


def _find_quotes(site: Site, claim: str) -> tuple[str, ...]:
    """Return the texts of a claim of a stored answer that its source may hold; none where there is no such claim.

    Args:
        site: The knowledge base.
        claim: Id of the answer, number of the claim and of its source, both from 1, with dots between them.
    """
    answer, *numbers = claim.split(".")
    try:
        found = site.app.show_answer(answer)[1].claims[int(numbers[0]) - 1]
        quote = found.sources[int(numbers[1]) - 1].quote
    except (KebabError, IndexError, ValueError):
        return ()
    return (found.text, quote) if quote else (found.text,)


def show_document(site: Site, request: Request) -> Response:
    """Show a document as a page of its own, or its pane as a fragment."""
    pane = read_pane(site, request, request.path_params.get("address") or request.query_params.get("d", ""))
    return site.render_part(request, "document", pane=pane, query=read_query(request))


def show_page(site: Site, request: Request) -> Response:
    """Return a page of a PDF as a picture."""
    place, width = request.path_params, _read_number(request, "w")
    picture = site.pictures.draw(place["doc_id"], place["page"], width=_WIDTH if width is None else width)
    return Response(picture.png, media_type=picture.media_type, headers=_KEPT)


def show_picture(site: Site, request: Request) -> Response:
    """Return a picture that is a document, or that one shows."""
    picture = read_picture(site.app.base, _read_address(request), src=request.query_params.get("src"))
    return Response(picture.content, media_type=picture.media_type, headers={**_KEPT, **_SANDBOXED})


def play_recording(site: Site, request: Request) -> Response:
    """Return a recording that is a document, or the one beside subtitles; a range of it where one is asked for."""
    file = find_sound(site.app.base, site.app.find_address(_read_address(request), files=False))
    if file is None:
        return Response(status_code=_NOT_FOUND)
    return FileResponse(file, media_type=SOUND_TYPES[file.suffix.lower()], headers=_SANDBOXED)


def show_related(site: Site, request: Request) -> Response:
    """Show what is related to a document, as a page or as a fragment."""
    found = site.app.find_related(_read_address(request), limit=_RELATED)
    return site.render_part(request, "related", address=found.address, related=found.documents)


def show_outline(site: Site, request: Request) -> Response:
    """Show all headings of a document, as a page or as a fragment."""
    outline = site.app.fetch(FetchAddress(address=_read_address(request), outline=True))
    return site.render_part(request, "outline", outline=outline, query=read_query(request))


def open_file(site: Site, _request: Request, form: QueryParams) -> Response:
    """Open the file of an address in the program of the user, without a shell; the page that asks for it stays.

    Raises:
        StorageError: The file is gone, or the program cannot be run.
    """
    found = site.app.find_address(form.get("d", "")[:_MAX_ADDRESS], files=False)
    command = find_open_command(site.app.base, found, environ=read_environment(), has_terminal=False).words
    try:
        null = subprocess.DEVNULL
        subprocess.Popen(command, stdin=null, stdout=null, stderr=null, start_new_session=True)  # noqa: S603 - the user's program
    except OSError as error:
        raise StorageError(
            "cannot run {program!r}: {reason}", program=command[0], _reason=error.strerror
        ) from error
    return Response(status_code=_NO_CONTENT)


def _read_number(request: Request, name: str) -> int | None:
    """Return a parameter that is a whole number of few digits; None for any other."""
    given = request.query_params.get(name, "")
    return int(given) if re.fullmatch(r"-?[0-9]{1,9}", given) else None


def _read_address(request: Request) -> str:
    return request.query_params.get("d", "")[:_MAX_ADDRESS]

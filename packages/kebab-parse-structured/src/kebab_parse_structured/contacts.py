"""The extractor `vcf-v1` of contacts: each person a section with all ways to reach them."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from kebab_core import DocumentDamagedError, Message, ParserVersion

from kebab_parse_structured.content_lines import Component, ContentLine, read_components
from kebab_parse_structured.labels import Labels
from kebab_parse_structured.structured_extractor import StructuredExtractor, read_text

if TYPE_CHECKING:
    from kebab_parse import TextWriter

    from kebab_parse_structured.structured_extractor import Object

CONTACTS_VERSION = ParserVersion("vcf-v1")
MAX_CONTACTS = 20_000
_FACTS = {
    "TEL": "phone",
    "EMAIL": "mail",
    "ORG": "company",
    "TITLE": "role",
    "ROLE": "role",
    "ADR": "address",
    "BDAY": "birthday",
    "ANNIVERSARY": "anniversary",
    "NICKNAME": "nickname",
    "URL": "link",
    "IMPP": "link",
    "RELATED": "related",
    "CATEGORIES": "tags",
    "NOTE": "note",
}
_PLACES = {"CELL": "cell", "MOBILE": "cell", "WORK": "work", "HOME": "home", "FAX": "fax"}


class ContactsExtractor(StructuredExtractor):
    """Extractor of contacts (`.vcf`, versions 2.1 to 4.0)."""

    formats = frozenset({"vcf"})
    version = CONTACTS_VERSION

    def _write(self, writer: TextWriter, content: bytes, warnings: list[Message]) -> Object:
        """Write each contact; photos, sounds and keys are left out.

        Raises:
            DocumentDamagedError: It is not of the format.
        """
        cards = [one for one in read_components(read_text(content, warnings)) if one.name == "VCARD"]
        if not cards:
            raise DocumentDamagedError("it holds no contact")
        if len(cards) > MAX_CONTACTS:
            warnings.append(Message("only the first {contacts:,} contacts are read", contacts=MAX_CONTACTS))
        for card in islice(cards, MAX_CONTACTS):
            _write_card(writer, card)
        return {"own_title": _name_of(cards[0]) if len(cards) == 1 else ""}


def _name_of(card: Component) -> str:
    if name := card.text("FN"):
        return name
    family, given, *_ = [*next((line.fields for line in card.find("N")), []), "", ""]
    return f"{given} {family}".strip() or card.text("ORG").replace(";", " ") or card.text("EMAIL")


def _write_card(writer: TextWriter, card: Component) -> None:
    name = _name_of(card)
    labels = Labels("".join(line.raw for line in card.lines if line.name in {"FN", "N", "ORG", "NOTE"}))
    writer.heading(2, name)
    own_labels = {line.group: line.text.strip("_$!<>") for line in card.find("X-ABLABEL") if line.group}
    lines = []
    for line in card.lines:
        kind, value = _FACTS.get(line.name), _value_of(line)
        if kind is None or not value:
            continue
        where = own_labels.get(line.group) or ", ".join(_places_of(line, labels))
        lines.append(f"{labels(kind)}{f' ({where})' if where else ''}: {value}")
    writer.paragraph("\n".join([name, *lines] if lines else [name]))


def _places_of(line: ContentLine, labels: Labels) -> list[str]:
    kinds = line.parameters.get("TYPE", "").upper().split(",")
    return list(dict.fromkeys(labels(_PLACES[kind]) for kind in kinds if kind in _PLACES))


def _value_of(line: ContentLine) -> str:
    if line.raw.startswith("data:") or line.parameters.get("ENCODING", "").lower() in {"b", "base64"}:
        return ""
    if line.name in {"ADR", "ORG"}:
        return ", ".join(part.strip() for part in line.fields if part.strip()).replace("\n", ", ")
    value = line.text.strip()
    if line.name == "BDAY" and len(value) == len("19990131") and value.isdigit():
        return f"{value[:4]}-{value[4:6]}-{value[6:]}"
    return value.removeprefix("tel:").removeprefix("mailto:")

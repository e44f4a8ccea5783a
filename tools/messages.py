"""All messages of the product with their places: what translation catalogues are made from.

    python -m tools.messages

Each template is printed as a Python literal, its plural after ` / `, and its places below it. Templates are literals,
the first arguments of `Message` and of error classes, and in pages those of `tr`.
"""

from __future__ import annotations

import ast
import inspect
import re
import string
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, nodes
from kebab_core import KebabError, errors

ROOT = Path(__file__).parents[1]
OTHER_KEYWORDS = frozenset({"plural", "remedy", "hint"})
"""Keyword arguments of `Message` and of errors that are not arguments of the message."""
_LEFT_OUT = (
    "packages/kebab-core/src/kebab_core/errors.py",
    "packages/kebab-core/src/kebab_core/messages.py",
    "apps/kebab-cli/src/kebab_cli/language.py",
    "packages/kebab-words/src/kebab_words/words.py",
)
"""Modules that make messages of templates that they are given."""
MESSAGE_MAKERS = frozenset({"Message", "join_messages"})
ERRORS = frozenset(
    name for name, kind in vars(errors).items() if inspect.isclass(kind) and issubclass(kind, KebabError)
)
_SAYING = re.compile(rf"\b(?:{'|'.join(sorted({'Message', 'tr', *ERRORS}))})\b")
"""Text that only modules with messages have."""


class Template(NamedTuple):
    """The template of a message."""

    text: str
    plural: str | None
    place: str
    """`path/of/module.py:line`."""


class Listing(NamedTuple):
    """Templates by place, and faults in messages, one line each."""

    templates: list[Template]
    faults: list[str]


@cache
def list_messages(root: Path = ROOT) -> Listing:
    """List the messages of all packages and apps below a folder, read once; kebab-testing is not shipped and has none."""
    listing = Listing([], [])
    for path in sorted([*root.glob("packages/*/src/**/*.py"), *root.glob("apps/*/src/**/*.py")]):
        place = path.relative_to(root).as_posix()
        if place not in _LEFT_OUT and not place.startswith("packages/kebab-testing/"):
            read_module(place, path.read_text(encoding="utf-8"), listing)
    for path in sorted(root.glob("apps/*/src/**/*.html")):
        place = path.relative_to(root).as_posix()
        read_module(place, _translate_calls(path.read_text(encoding="utf-8")), listing)
    return listing


def _translate_calls(template: str) -> str:
    """Return the calls of `tr` in a page's template as Python, each in its line; values that are no literals are a name."""
    lines = [""] * (template.count("\n") + 1)
    for call in Environment(autoescape=True).parse(template).find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name == "tr":
            values = [("", each) for each in call.args] + [
                (f"{each.key}=", each.value) for each in call.kwargs
            ]
            given = [
                f"{name}{each.value!r}" if isinstance(each, nodes.Const) else f"{name}value"
                for name, each in values
            ]
            lines[call.lineno - 1] += f"tr({', '.join(given)});"
    return "\n".join(lines)


def read_module(path: str, source: str, listing: Listing) -> None:
    """Add the messages of a module.

    Args:
        path: Its path, for places.
        source: Its text.
        listing: Gets templates and faults.
    """
    if _SAYING.search(source):
        _Module(path, source, listing).read()


class _Module:
    """Reads the messages of one module into a listing."""

    def __init__(self, path: str, source: str, listing: Listing) -> None:
        self._path, self._listing = path, listing
        self._tree = ast.parse(source)
        self._nodes = list(ast.walk(self._tree))
        self._all_functions = [node for node in self._nodes if isinstance(node, ast.FunctionDef)]
        self._functions = {function.name: function for function in self._all_functions}

    @cached_property
    def _scopes(self) -> dict[ast.AST, ast.FunctionDef]:
        return {node: function for function in self._all_functions for node in ast.walk(function)}

    def read(self) -> None:
        for node in self._nodes:
            if isinstance(node, ast.Call) and _name(node) in {"Message", "tr", *ERRORS} and node.args:
                self._read_text(node.args[0], node)

    def _read_text(self, text: ast.expr, call: ast.Call) -> None:
        """Read the text that a call is given: a literal, or an expression that gives a message."""
        match text:
            case ast.Constant(value=str(template)):
                self._read_template(template, call)
            case _ if _name(call) in {"Message", "tr"}:
                self._fault(call, "the template is no literal")
            case ast.IfExp(body=first, orelse=second):
                self._read_text(first, call)
                self._read_text(second, call)
            case ast.Name(id=name) if values := self._values(name, call):
                for value in values:
                    self._read_text(value, call)
            case _ if not self._is_message(text):
                self._fault(call, f"neither a literal nor a message: {ast.unparse(text)}")
            case _ if any(str(each.arg).startswith("_") for each in call.keywords):
                self._fault(call, "a message has its arguments already")

    def _read_template(self, template: str, call: ast.Call) -> None:
        keywords = {str(each.arg): each.value for each in call.keywords}
        plural = getattr(keywords.get("plural"), "value", None)
        try:
            fields = set(_fields(template)) | set(_fields(plural or "")) | ({"count"} if plural else set())
        except ValueError as error:
            self._fault(call, f"{template!r}: {error}")
            return
        given = keywords.keys() - OTHER_KEYWORDS
        optional = {name for name in given if _name(call) in ERRORS and not name.startswith("_")}
        arguments = [name.removeprefix("_") for name in given if name not in optional - fields]
        if sorted(arguments) != sorted(fields):
            self._fault(call, f"{template!r} has the arguments {sorted(arguments)}")
        if "plural" in keywords and not (isinstance(plural, str) and "count" in fields):
            self._fault(call, f"{template!r}: the plural is no literal, or there is no `count`")
        self._listing.templates.append(Template(template, plural, f"{self._path}:{call.lineno}"))

    def _values(self, name: str, call: ast.Call) -> list[ast.expr]:
        """Return what is assigned to a name in the function of the call, else in the module."""
        for scope in (self._scopes.get(call), self._tree):
            if scope is not None and (found := list(_assigned(name, scope))):
                return found
        return []

    def _is_message(self, node: ast.expr) -> bool:
        """Return whether the types in this module, or the name of an attribute, say that an expression is a message."""
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name)):
                return name in MESSAGE_MAKERS or (
                    name in self._functions
                    and "Message" in ast.unparse(self._functions[name].returns or node)
                )
            case ast.Attribute(attr=name):
                return name.endswith("message")
            case ast.Name(id=name):
                function = self._scopes.get(node)
                arguments = ast.walk(function.args) if function else ()
                return any(
                    isinstance(each, ast.arg) and each.arg == name and "Message" in ast.unparse(each)
                    for each in arguments
                )
        return False

    def _fault(self, call: ast.Call, text: str) -> None:
        self._listing.faults.append(f"{self._path}:{call.lineno}: {text}")


def _name(call: ast.Call) -> str:
    """The last part of the name of what is called; of two errors to choose from, that of the first."""
    match call.func.body if isinstance(call.func, ast.IfExp) else call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _fields(template: str) -> Iterator[str]:
    for _, name, spec, _ in string.Formatter().parse(template):
        if name is not None:
            if not name.isidentifier() or "{" in (spec or ""):
                raise ValueError(f"{{{name}}} is no plain field")
            yield name


def _assigned(name: str, scope: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name) and target.id == name:
                    yield node.value
                elif isinstance(target, ast.Tuple) and name in (
                    names := [ast.unparse(each) for each in target.elts]
                ):
                    values = (
                        node.value.elts if isinstance(node.value, ast.Tuple) else [node.value] * len(names)
                    )
                    yield values[names.index(name)]


def main() -> None:
    """Print the listing; exit with 1 if there are faults."""
    listing = list_messages()
    places: dict[str, list[str]] = defaultdict(list)
    for template in listing.templates:
        plural = "" if template.plural is None else f" / {template.plural!r}"
        places[f"{template.text!r}{plural}"].append(template.place)
    for text in sorted(places):
        sys.stdout.write("\n    ".join([text, *places[text]]) + "\n")
    sys.exit("\n".join(listing.faults) or None)


if __name__ == "__main__":
    main()

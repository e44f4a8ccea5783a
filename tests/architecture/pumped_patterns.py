"""Regular expressions of the product, and strings that would keep each busy if it could be kept busy.

Run as a module, it prints the functions that build patterns when they run, matches every pattern from a given one on against
its strings and prints the name of each first; a pattern that takes more processor time than is fair ends the process. Of all patterns a tenth is matched unless `whole` is asked
for.
"""

from __future__ import annotations

import ast
import gc
import importlib
import importlib.util
import pkgutil
import re
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from re import (
    _constants as c,  # type: ignore[attr-defined]
    _parser,  # type: ignore[attr-defined]
)
from types import ModuleType
from typing import Any

from kebab_testing import families

ROOT = Path(__file__).parents[2]
SHORT_CHARS, MIDDLE_CHARS, LONG_CHARS = 2_000, 20_000, 100_000
"""Lengths of what is matched: a pattern that looks at every pair of characters needs many seconds for the last."""
CPU_S = 2.0
"""Processor time for one string; a linear pattern needs some milliseconds."""
_SUSPICIOUS_S = 0.001
"""What takes longer for the first length is tried with the second, where little else takes longer."""
_SAFE_S = CPU_S / (LONG_CHARS / MIDDLE_CHARS) ** 2
"""What takes less for the middle length takes less than `CPU_S` for the last, even if it looks at every pair."""
_MOST_LONG = 4
DONE, WHOLE, PART, BUILT = "done", "whole", "part", "built"
BOUNDED = {
    "kebab_parse_html.charset._DECLARED": 4096,
    "kebab_text.lines._CODE_LINE": 200,
    "kebab_app.reset.OWNED_FOLDERS": 255,
}
"""Patterns that never see longer texts: they are checked before, or are names of files."""
_ENDINGS = ("", "\0", "!")
_SAMPLES = "a1 \t\n가.-_=:/\"'`*#[](){}<>|,;!?~A漢あ\u0301é"
_MOST_OF_A_CLASS = 5
_LOOKED_INTO: dict[int, tuple[object, list[re.Pattern[Any]]]] = {}
_ANCHORED = frozenset({"match", "fullmatch"})


@dataclass(frozen=True)
class Found:
    """A pattern and how it is used."""

    name: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]
    """`match` and `fullmatch` where it is tried at one place of a text only, else `finditer`."""


@cache
def members() -> tuple[str, ...]:
    return tuple(
        path.name
        for folder in ("packages", "apps")
        for path in sorted(ROOT.glob(f"{folder}/*/src/*"))
        if path.is_dir() and path.name.startswith("kebab_") and path.name != "kebab_testing"
        if importlib.util.find_spec(path.name) is not None  # the model of an extra has no patterns
    )


def _modules() -> Iterator[ModuleType]:
    for member in members():
        package = importlib.import_module(member)
        for each in pkgutil.walk_packages(package.__path__, f"{member}."):
            if not each.name.endswith("__main__"):
                yield importlib.import_module(each.name)


def find_patterns() -> list[Found]:
    """Return every pattern of the product, by name."""
    found = {one.name: one for module in _modules() for one in (*_held(module), *_written(module))}
    return [found[name] for name in sorted(found)]


def _held(module: ModuleType) -> Iterator[Found]:
    """Yield the patterns that a module holds when it is imported, also inside of what it holds."""
    for name, value in vars(module).items():
        patterns = _patterns_in(value)
        if patterns and name in (written := _read(module)).names:
            methods = written.uses.get(name, set()) if name.startswith("_") else _uses_anywhere(name)
            for at, pattern in enumerate(patterns):
                yield Found(f"{module.__name__}.{name}:{at}", pattern, _tried(methods))


def _patterns_in(value: object) -> list[re.Pattern[Any]]:
    """Return the patterns inside of what a name stands for, looked for once however many modules import it.

    Classes of other libraries are none of the product.
    """
    if isinstance(value, type) and not value.__module__.startswith("kebab_"):
        return []
    if id(value) not in _LOOKED_INTO:
        _LOOKED_INTO[id(value)] = value, list(_inside(value))
    return _LOOKED_INTO[id(value)][1]


def _uses_anywhere(name: str) -> set[str]:
    """Return the attributes that any module takes of a name; only those that have it in their text are read."""
    readers = [module for module in _modules() if name in _text_of(module)]
    return set[str]().union(*(_read(module).uses.get(name, set()) for module in readers))


def _tried(methods: set[str]) -> frozenset[str]:
    return frozenset(methods if methods and methods <= _ANCHORED else {"finditer"})


def _inside(value: object, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 4:
        parts: Iterable[object] = ()
        if isinstance(value, Mapping):
            parts = [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple | set | frozenset):
            parts = value
        elif isinstance(value, type) or hasattr(value, "__dataclass_fields__"):
            parts = (
                list(vars(value).values())
                if hasattr(value, "__dict__")
                else [
                    getattr(value, field)
                    for field in value.__dataclass_fields__  # type: ignore[attr-defined]
                ]
            )
        for part in parts:
            yield from _inside(part, depth + 1)


@dataclass
class _Written:
    """What the source of a module says."""

    names: set[str] = field(default_factory=set)
    """What it assigns or defines as a class."""
    uses: dict[str, set[str]] = field(default_factory=dict)
    """The attributes that it takes of each name."""
    functions: list[ast.FunctionDef] = field(default_factory=list)
    calls: list[ast.Call] = field(default_factory=list)
    """Calls of functions of `re`, by the name of that module."""

    def calls_in(self, function: ast.FunctionDef) -> list[ast.Call]:
        end = function.end_lineno or function.lineno
        return [call for call in self.calls if function.lineno <= call.lineno <= end]


@cache
def _text_of(module: ModuleType) -> str:
    return Path(module.__file__ or "").read_text(encoding="utf-8")


@cache
def _read(module: ModuleType) -> _Written:
    found = _Written()
    for node in _walk(ast.parse(_text_of(module))):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                found.names.add(node.id)
        elif isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name):
                found.uses.setdefault(node.value.id, set()).add(node.attr)
        elif isinstance(node, ast.ClassDef):
            found.names.add(node.name)
        elif isinstance(node, ast.FunctionDef):
            found.functions.append(node)
        elif isinstance(node, ast.Call) and _is_of_re(node.func):
            found.calls.append(node)
    return found


def _walk(tree: ast.AST) -> Iterator[ast.AST]:
    """As `ast.walk`, in another order and in a third of its time."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for value in map(node.__dict__.get, node._fields):
            if isinstance(value, ast.AST):
                waiting.append(value)
            elif isinstance(value, list):
                waiting += [each for each in value if isinstance(each, ast.AST)]


def _written(module: ModuleType) -> Iterator[Found]:
    """Yield the patterns that a module's functions write out where they use them."""
    written = _read(module) if _calls_re(module) else _Written()
    for call in (call for function in written.functions for call in written.calls_in(function)):
        if isinstance(call.args[0], ast.Constant):
            method = call.func.attr  # type: ignore[attr-defined]
            pattern = re.compile(call.args[0].value)
            yield Found(f"{module.__name__}:{call.lineno}", pattern, _tried({method}))


def _calls_re(module: ModuleType) -> bool:
    return "re." in _text_of(module)


def _is_of_re(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr not in {"escape", "purge"}
    )


def find_built() -> set[str]:
    """Return the functions that build a pattern when they run."""
    return {
        f"{module.__name__}.{function.name}"
        for module in filter(_calls_re, _modules())
        for function in _read(module).functions
        if any(not isinstance(call.args[0], ast.Constant) for call in _read(module).calls_in(function))
    }


def pumped(pattern: re.Pattern[Any]) -> Iterator[Callable[[int], Any]]:
    """Yield what makes strings of some length that keep a pattern busy, if any can: what it repeats, then what does not fit."""
    is_bytes = isinstance(pattern.pattern, bytes)
    tree = _parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE if is_bytes else pattern.flags)
    seen: set[str] = set()
    for before, unit in _units(tree, ""):
        if unit and (key := f"{before}\0{unit}") not in seen:
            seen.add(key)
            for ending in _ENDINGS:
                yield partial(_pump, before, unit, ending, is_bytes=is_bytes)


def _pump(before: str, unit: str, ending: str, chars: int, *, is_bytes: bool) -> Any:
    text = before + unit * (chars // len(unit)) + ending
    return text.encode("utf-8", "replace") if is_bytes else text


def _units(tree: Any, before: str) -> Iterator[tuple[str, str]]:
    """Yield what to repeat, each with what stands before it: repetitions, their parts, and all of a branch."""
    whole = ""
    for op, value in tree:
        for sample in _samples_of_repeat(op, value):
            yield before + whole, sample
            yield "", sample
            yield "", whole + sample
            yield "", before + whole + sample
            yield "", (whole or "a") + sample
        for inner in _inner(op, value):
            yield from _units(inner, before + whole)
        whole += _sample([(op, value)])
    yield "", whole
    yield "", whole[:-1]


def _samples_of_repeat(op: Any, value: Any) -> set[str]:
    if op not in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT) or value[1] < 8:
        return set()
    found = {_sample(value[2])}
    for inner_op, inner in value[2]:
        found |= _chars(inner_op, inner)
    return {each for each in found if each}


def _chars(op: Any, value: Any) -> set[str]:
    """Return several characters that one piece takes."""
    if op is c.IN:
        try:
            expression = _class_pattern(value)
        except KeyError:
            return set()
        return set([char for char in _SAMPLES if expression(char)][:_MOST_OF_A_CLASS])
    if op is c.ANY:
        return {"a", " ", "."}
    if op is c.NOT_LITERAL:
        return {char for char in "a 1.!" if ord(char) != value}
    return {chr(value)} if op is c.LITERAL else set()


_CATEGORY = {
    c.CATEGORY_DIGIT: str.isdigit,
    c.CATEGORY_NOT_DIGIT: lambda char: not char.isdigit(),
    c.CATEGORY_SPACE: str.isspace,
    c.CATEGORY_NOT_SPACE: lambda char: not char.isspace(),
    c.CATEGORY_WORD: lambda char: char.isalnum() or char == "_",
    c.CATEGORY_NOT_WORD: lambda char: not (char.isalnum() or char == "_"),
}


def _class_pattern(items: Any) -> Any:
    negated = any(op is c.NEGATE for op, _ in items)

    def holds(char: str) -> bool:
        for op, value in items:
            if (
                (op is c.LITERAL and ord(char) == value)
                or (op is c.RANGE and value[0] <= ord(char) <= value[1])
                or (op is c.CATEGORY and _CATEGORY[value](char))
            ):
                return not negated
        return negated

    return holds


def _one_of_class(items: Any) -> str:
    holds = _class_pattern(items)
    for char in _SAMPLES:
        if holds(char):
            return char
    for op, value in items:
        if op is c.RANGE:
            return chr(value[0])
        if op is c.LITERAL:
            return chr(value)
    return "a"


def _sample(tree: Any) -> str:
    """Return a string that a piece of a pattern takes, about."""
    parts: list[str] = []
    for op, value in tree:
        if op is c.LITERAL:
            parts.append(chr(value))
        elif op is c.NOT_LITERAL:
            parts.append("a" if value != ord("a") else "b")
        elif op is c.ANY:
            parts.append("a")
        elif op is c.IN:
            parts.append(_one_of_class(value))
        elif op in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
            parts.append(_sample(value[2]) * max(1, int(value[0])))
        else:
            inner = _inner(op, value)
            if inner and op not in (c.ASSERT, c.ASSERT_NOT):
                parts.append(_sample(inner[0]))
    return "".join(parts)


def _inner(op: Any, value: Any) -> list[Any]:
    if op in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
        return [value[2]]
    if op is c.SUBPATTERN:
        return [value[3]]
    if op is c.BRANCH:
        return list(value[1])
    if op is c.ATOMIC_GROUP:
        return [value]
    if op in (c.ASSERT, c.ASSERT_NOT):
        return [value[1]]
    return []


def _seconds(one: Found, text: Any) -> float:
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_S)
    began = time.process_time()
    for method in sorted(one.methods):
        matched = getattr(one.pattern, method)(text)
        if method == "finditer":
            deque(matched, maxlen=0)
    return time.process_time() - began


def _text(one: Found) -> str:
    return str(one.pattern.pattern)


def main() -> None:
    """Match the patterns from the one at a place of the list on; before the first, name the functions that build some."""
    gc.disable()  # nothing that is read or imported here is let go of
    for function in sorted(find_built()) if sys.argv[1] == "0" else ():
        sys.stdout.write(f"{BUILT} {function}\n")
    patterns = find_patterns()
    chosen = {
        one.name for one in (patterns if sys.argv[2] == WHOLE else families.sample(patterns, key=_text))
    }
    matched: set[tuple[re.Pattern[Any], frozenset[str]]] = set()
    for at in range(int(sys.argv[1]), len(patterns)):
        one = patterns[at]
        sys.stdout.write(f"{at} {one.name}\n")
        sys.stdout.flush()
        if one.name not in chosen or (one.pattern, one.methods) in matched:  # held under another name, too
            continue
        matched.add((one.pattern, one.methods))
        most = BOUNDED.get(one.name.rpartition(":")[0], LONG_CHARS)
        slow = sorted(
            ((_seconds(one, pump(min(most, SHORT_CHARS))), pump) for pump in pumped(one.pattern)),
            key=lambda each: -each[0],
        )
        for seconds, pump in slow[:_MOST_LONG]:
            if seconds > _SUSPICIOUS_S and _seconds(one, pump(min(most, MIDDLE_CHARS))) > _SAFE_S:
                _seconds(one, pump(most))
    sys.stdout.write(f"{DONE}\n")


if __name__ == "__main__":
    main()

"""The chunkers `manifest-file-v1` and `dockerfile-file-v2`: files that describe a project or an image."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kebab_core import ChunkPolicy, CodeBlock, CodeSymbol, SymbolKind, TokenCounter

from kebab_chunk.code_passages import CodePassage, Lead, cut_rows, first_line_of, passage_limit

_MANIFEST_SYMBOL = "<manifest>"
_DOCKERFILE_SYMBOL = "<dockerfile>"

_FROM = re.compile(
    r"\s*+FROM\s++(?:--[^\s=]++=\S++\s++)*+(?P<image>[^\s#]\S*+)(?:\s++AS\s++(?P<name>\S++))?", re.IGNORECASE
)
_HEREDOC = re.compile(r"<<-?(?P<quote>[\"']?)(?P<end>\w++)(?P=quote)")
_ESCAPE = re.compile(r"#\s*+escape\s*+=\s*+`\s*+$", re.IGNORECASE)


def cut_manifest(block: CodeBlock, counter: TokenCounter, policy: ChunkPolicy) -> Iterator[CodePassage]:
    """Yield a manifest as one passage if it fits, else in parts that begin with its outer keys where they can."""
    first, lines = first_line_of(block), block.code.split("\n")
    for rows, text in cut_rows(lines, range(len(lines)), passage_limit(counter, policy)):
        yield CodePassage(block, text, first + rows.start, first + rows.stop - 1, symbol=_MANIFEST_SYMBOL)


def cut_stages(block: CodeBlock, counter: TokenCounter, policy: ChunkPolicy) -> Iterator[CodePassage]:
    """Yield the stages of a container file, each from its `FROM` with the comments above it; the first has what precedes it.

    A stage that is too long is cut, with its `FROM` before each part. A stage with a name defines it; one without is cited by its image.
    """
    first, lines = first_line_of(block), block.code.split("\n")
    stages = list(_find_stages(lines))
    starts = [0, *(_with_comments(lines, row) for row, _ in stages[1:])]
    for number, start in enumerate(starts):
        stop = starts[number + 1] if number + 1 < len(starts) else len(lines)
        row, found = stages[number] if stages else (start, None)
        start = next((each for each in range(start, stop) if lines[each].strip()), stop)
        own = _stage_symbol(found, lines[row], first + start, first + stop - 1) if found else None
        name = (found["name"] or found["image"]) if found else None
        lead = Lead(lines[row], first + row, first + row) if found else None
        fits_whole = counter.count("\n".join(lines[start:stop])) <= policy.max_tokens
        if fits_whole or (lead and counter.count(lead.text) > policy.max_tokens // 2):
            lead = None
        for rows, text in cut_rows(lines, range(start, stop), passage_limit(counter, policy, lead)):
            here = range(first + rows.start, first + rows.stop)
            yield CodePassage(
                block,
                text,
                here.start,
                here.stop - 1,
                lead=lead if rows.start > row else None,
                symbols=(own,) if own and own.line_start in here else (),
                symbol=name or _DOCKERFILE_SYMBOL,
                names=(name,) if name else (),
            )


def _find_stages(lines: Sequence[str]) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the rows with a `FROM`, but not those inside of another instruction or of a text that is given to one."""
    escape = "`" if any(_ESCAPE.match(line) for line in lines[:5]) else "\\"
    ends: list[str] = []
    continues = False
    for row, line in enumerate(lines):
        if ends:
            if line.strip() == ends[0]:
                del ends[0]
            continue
        if not continues and (found := _FROM.match(line)):
            yield row, found
        is_comment = line.lstrip().startswith("#")
        if not is_comment:
            ends = [match["end"] for match in _HEREDOC.finditer(line)]
            continues = line.rstrip().endswith(escape)


def _with_comments(lines: Sequence[str], row: int) -> int:
    while row > 0 and lines[row - 1].lstrip().startswith("#"):
        row -= 1
    return row


def _stage_symbol(found: re.Match[str], line: str, line_start: int, line_end: int) -> CodeSymbol | None:
    if not found["name"]:
        return None
    return CodeSymbol(
        symbol=found["name"],
        kind=SymbolKind.RESOURCE,
        line_start=line_start,
        line_end=line_end,
        signature=line.strip(),
    )

"""Files that nobody should write but somebody has: CPU time, peak memory of all processes and result of each, alone.

Time should grow with size, so both are also given for a megabyte: compare the cases of 5, 20, 50 and 200 MB.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from process_tree import run_watched

MB = 1024 * 1024
SIZES_MB = (5, 20, 50, 200)
SENTENCE = "색인은 파일이 바뀌면 다시 만들어진다. The index follows `parse_md` and **its** files.\n"
ENGLISH = ("The index follows its files, and is made again when one of them changes. " * 6).strip() + "\n\n"


def _filled(unit: str, size: int) -> bytes:
    """Return exactly that many bytes of a repeated text, the last repetition cut short and blank."""
    piece = unit.encode()
    content = piece * (size // len(piece))
    return content + b"\n" * (size - len(content))


def _prose(size: int) -> bytes:
    return _filled((SENTENCE * 8 + "\n") * 3 + "## 제목\n\n", size)


CASES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "100,000 rows": ("a.md", lambda: b"| a | b |\n|---|---|\n" + "| 값 | `x_y` |\n".encode() * 100_000),
    "10,000 headings": (
        "a.md",
        lambda: "".join(f"{'#' * (1 + i % 6)} 제목 {i}\n\n" for i in range(10_000)).encode(),
    ),
    "500 quotes deep": ("a.md", lambda: b"> " * 500 + b"deep\n"),
    "500 lists deep": ("a.md", lambda: b"".join(b"  " * i + b"- item\n" for i in range(500))),
    "5 MB line of words": ("a.md", lambda: _filled(SENTENCE.replace("\n", " "), 5 * MB)),
    "5 MB line of Hangul": ("a.md", lambda: "가나다라마바사".encode() * (5 * MB // 21)),
    "5 MB line of stars": ("a.md", lambda: b"*a **b " * (5 * MB // 7)),
    "5 MB line of brackets": ("a.md", lambda: b"[" * 5 * MB),
    "5 MB line of one letter": ("a.txt", lambda: b"a" * 5 * MB),
    "1 MB of combining marks": ("a.md", lambda: b"e" + "\u0301\u0316".encode() * (MB // 4)),
    "1 MB of Jamo": ("a.md", lambda: "\u1112\u1161\u11ab ".encode() * (MB // 10)),
    "NUL bytes": ("a.md", lambda: b"text \0 more\n" * 100 + b"word\n" * 20_000),
    "only NUL bytes": ("a.md", lambda: b"\0" * MB),
    "lone surrogates, UTF-16": ("a.md", lambda: b"\xff\xfe" + b"a\0\x00\xd8b\0\n\0" * 1000),
    "lone surrogates, CESU-8": (
        "a.md",
        lambda: b"text \xed\xa0\x80 and \xed\xb0\x80\n" * 100 + b"word\n" * 9000,
    ),
    "mixed line ends": ("a.md", lambda: b"a\r\nb\rc\nd\n\r\n" * 50_000),
    "U+2028": ("a.md", lambda: "줄\u2028끝 line\u2029sep ".encode() * 50_000),
    "100,000 definitions": (
        "a.md",
        lambda: b"".join(b"[k%d]: /u\n" % i for i in range(100_000)) + b"\n[k5]\n",
    ),
    "100,000 list items": ("a.md", lambda: b"- item of a list\n" * 100_000),
    "20 MB fence": ("a.md", lambda: b"```c\n" + b"int x = 1;\n" * (20 * MB // 11) + b"```\n"),
    **{f"{size} MB of Markdown": ("a.md", partial(_prose, size * MB)) for size in SIZES_MB},
    **{f"{size} MB of text": ("a.txt", partial(_prose, size * MB)) for size in SIZES_MB},
    **{f"{size} MB of English": ("a.txt", partial(_filled, ENGLISH, size * MB)) for size in SIZES_MB},
    "200 MB and a byte": ("a.md", lambda: _prose(200 * MB) + b"\n"),
}


def run_case(name: str, *, timeout_s: float) -> None:
    file_name, make = CASES[name]
    with tempfile.TemporaryDirectory() as scratch:
        root, config = Path(scratch, "root"), Path(scratch, "kebab.toml")
        root.mkdir()
        content = make()
        (root / file_name).write_bytes(content)
        size_mb = len(content) / MB
        del content
        config.write_text('[workspace]\nroot = "root"\n[storage]\ndata_dir = "data"\n', encoding="utf-8")
        command = [sys.executable, "-m", "kebab_cli", "ingest", "--config", str(config), "--json"]
        done = run_watched(["timeout", str(timeout_s), *command])
        if not done.output:
            print(
                f"{name:26} {size_mb:6.1f} MB  nothing after {done.wall_s:.0f} s, peak {done.peak_mb:.0f} MB",
                flush=True,
            )
            return
        report = json.loads(done.output.splitlines()[-1])
    print(
        f"{name:26} {size_mb:6.1f} MB {done.cpu_s:7.1f} CPU s  peak {done.peak_mb:5.0f} MB"
        f"  ({done.cpu_s / size_mb:.1f} s and {done.peak_mb / size_mb:.0f} MB a MB)  {outcome(report)}",
        flush=True,
    )


def outcome(report: dict[str, object]) -> str:
    if report.get("schema_version") != "ingest_report.v1":
        return str(report.get("kind"))
    counts = [f"{report[key]} {key}" for key in ("new", "skipped", "errors", "chunks_indexed") if report[key]]
    items = report["items"]
    remarks = [item.get("error") or item.get("warnings") for item in items] if isinstance(items, list) else []
    return ", ".join([*counts, *(str(remark) for remark in remarks if remark)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "cases", nargs="*", default=list(CASES), help="names or parts of them; all without any"
    )
    parser.add_argument("--timeout", type=float, default=600, help="seconds for each")
    options = parser.parse_args()
    for name in CASES:
        if any(part in name for part in options.cases):
            run_case(name, timeout_s=options.timeout)


if __name__ == "__main__":
    main()

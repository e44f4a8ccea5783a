"""Ways to damage a file, each drawn at random."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

PAGE = 4096
Damage = Callable[[Path, Random], None]

PLACES: dict[str, str] = {
    "database": "kebab.sqlite",
    "log of the database": "kebab.sqlite-wal",
    "matrix": "vectors/*.matrix",
    "manifest of LanceDB": "vectors/*.lance/_versions/*",
    "data of LanceDB": "vectors/*.lance/data/*",
    "rest of LanceDB": "vectors/*.lance/_[!v]*/*",
    "settings of LanceDB": "vectors/*.json",
    "copies of files": "assets/*/*",
    "state": "cache/*.json",
    "logs": "logs/*",
    "lock": "writer.lock",
}
"""What lies in a data folder."""
WEIGHTS = (8, 3, 4, 2, 2, 1, 1, 1, 1, 1, 1)


def flip_bit(path: Path, random: Random) -> None:
    """Turn one bit over."""
    _change(path, random, lambda byte: byte ^ (1 << random.randrange(8)))


def scramble(path: Path, random: Random) -> None:
    """Replace up to 64 bytes by others."""
    _change(path, random, lambda _: random.randrange(256), length=random.randint(2, 64))


def truncate(path: Path, random: Random) -> None:
    """Cut the end off."""
    with path.open("r+b") as file:
        file.truncate(random.randrange(max(1, path.stat().st_size)))


def swap_pages(path: Path, random: Random) -> None:
    """Exchange two pages of a file, or its halves."""
    with path.open("r+b") as file:
        content = file.read()
        size = PAGE if len(content) > PAGE else max(1, len(content) // 2)
        pages = [content[start : start + size] for start in range(0, len(content), size)]
        first, second = (random.randrange(max(1, len(pages))) for _ in range(2))
        if pages:
            pages[first], pages[second] = pages[second], pages[first]
        file.seek(0)
        file.write(b"".join(pages))


def zero_page(path: Path, random: Random) -> None:
    """Fill one page with zeros."""
    with path.open("r+b") as file:
        size = path.stat().st_size
        start = random.randrange(max(1, -(-size // PAGE))) * PAGE
        file.seek(start)
        file.write(bytes(min(PAGE, size - start)))


def delete(path: Path, _: Random) -> None:
    """Remove the file."""
    path.unlink()


def empty(path: Path, _: Random) -> None:
    """Leave nothing in it."""
    with path.open("r+b") as file:
        file.truncate(0)


def replace(path: Path, random: Random) -> None:
    """Put another file of the same size in its place."""
    other = path.with_name(".other")
    other.write_bytes(random.randbytes(path.stat().st_size))
    other.replace(path)


DAMAGES: tuple[Damage, ...] = (
    *(flip_bit, flip_bit, flip_bit, scramble, truncate, swap_pages, swap_pages, zero_page),
    *(delete, empty, replace),
)
"""Some more than once: what is likely, and what is hard to notice."""


def _change(path: Path, random: Random, change: Callable[[int], int], *, length: int = 1) -> None:
    with path.open("r+b") as file:
        size = path.stat().st_size
        start = random.randrange(max(1, size))
        file.seek(start)
        old = file.read(length)
        file.seek(start)
        file.write(bytes(map(change, old)))

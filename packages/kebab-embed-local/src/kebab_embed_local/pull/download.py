"""One file from a hub to disk, in as many attempts as it takes."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kebab_core import ModelCorruptError, ModelUnreachableError, OperationTimeoutError, StorageError

from kebab_embed_local.pull.hub import Hub, RemoteFile, check_status, mapped_hub_errors

_PARTIAL_CONTENT = 206


def download(hub: Hub, url: str, file: RemoteFile, *, target: Path, advance: Callable[[int], None]) -> None:
    """Have the content of a file at `target`, checked; go on with what an interrupted attempt left beside it.

    A connection that breaks is opened again as long as each time something came through it.

    Args:
        hub: Who is asked.
        url: Where the content is.
        file: How long it is, and its hash.
        target: Where it goes; it appears there whole or not at all.
        advance: Told of every piece, in bytes; of those that lay there already, too.

    Raises:
        ModelMissingError: The hub does not have it any more.
        ModelCorruptError: What came is not what the hub lists; it is thrown away.
        ModelUnreachableError: The connection broke, and nothing came through the next.
        OperationTimeoutError: The hub fell silent, and nothing came through the next connection.
        StorageError: The disk is full, or the folder cannot be written.
    """
    part = target.with_name(target.name + ".part")
    with mapped_storage_errors(part):
        part.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if target.exists() and file.matches(target):
            advance(file.size)
            return
        advance(_usable(part, file))
        while (done := part.stat().st_size) < file.size:
            failure = _attempt(hub, url, part, size=file.size, advance=advance)
            if part.stat().st_size <= done:
                raise failure or ModelUnreachableError(f"{hub.address} sends less of {file.path} than it has")
        if not file.matches(part):
            part.unlink()
            raise ModelCorruptError(
                f"{file.path} arrived with another content than the hub lists",
                hint="run the command again",
                file=file.path,
            )
        part.replace(target)


@contextmanager
def mapped_storage_errors(path: Path) -> Iterator[None]:
    """Turn errors of the file system into those of kebab.

    Yields:
        Nothing.

    Raises:
        StorageError: Reading or writing failed.
    """
    try:
        yield
    except OSError as error:
        is_full = error.errno == errno.ENOSPC
        raise StorageError(
            "the disk is full" if is_full else f"{str(path)!r} cannot be written",
            hint="make room and run the command again; it goes on where it stopped" if is_full else None,
            file=str(path),
            reason=error.strerror,
        ) from error


def _attempt(
    hub: Hub, url: str, part: Path, *, size: int, advance: Callable[[int], None]
) -> ModelUnreachableError | OperationTimeoutError | None:
    """Append what comes through one connection.

    Returns:
        What broke it, if something did.
    """
    try:
        _append(hub, url, part, size=size, advance=advance)
    except (ModelUnreachableError, OperationTimeoutError) as error:
        return error
    return None


def _append(hub: Hub, url: str, part: Path, *, size: int, advance: Callable[[int], None]) -> None:
    start = part.stat().st_size
    with mapped_hub_errors(hub.address), hub.client.stream("GET", url, headers=_range(start)) as response:
        check_status(response, hub.address)
        if start and response.status_code != _PARTIAL_CONTENT:
            advance(-start)  # The server cannot go on in the middle.
            part.write_bytes(b"")
        with part.open("ab") as stream:
            for block in response.iter_raw():
                stream.write(block)
                advance(len(block))
                if stream.tell() > size:
                    return


def _range(start: int) -> dict[str, str]:
    identity = {"Accept-Encoding": "identity"}
    return {**identity, "Range": f"bytes={start}-"} if start else identity


def _usable(part: Path, file: RemoteFile) -> int:
    """Return how much of the file is there already; more than all of it is nothing."""
    if not part.exists() or part.stat().st_size > file.size:
        part.write_bytes(b"")
    return part.stat().st_size

"""Client of a model hub: the files of a repository with their hashes, and the download of one file in attempts."""

from __future__ import annotations

import errno
import hashlib
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kebab_core import (
    KebabError,
    Message,
    ModelCorruptError,
    ModelMissingError,
    ModelUnreachableError,
    OperationTimeoutError,
    Remedy,
    StorageError,
)
from kebab_runtime import ReplyLimits, WatchedReply

if TYPE_CHECKING:
    import httpx2


DEFAULT_HUB = "https://huggingface.co"
_TIMEOUT_S = 30.0
_BYTES_PER_MB = 1024 * 1024
_FACTS = ReplyLimits(silence_s=_TIMEOUT_S, total_s=120.0, max_mb=16)
"""Limits of what a hub says about a repository."""
_DOWNLOAD = ReplyLimits(silence_s=_TIMEOUT_S, total_s=math.inf)
"""Limits of the content of a file, which takes as long as the network does."""
_GONE = frozenset({401, 403, 404})
_PARTIAL_CONTENT = 206
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class RemoteFile(NamedTuple):
    """One file of a repository at one revision."""

    path: str
    size: int
    sha256: str | None
    """Of large files."""
    git_sha1: str
    """Of small ones, over a header and the content, as git does."""

    def matches(self, file: Path) -> bool:
        """True if a file on disk has exactly this content."""
        if file.stat().st_size != self.size:
            return False
        hasher = (
            hashlib.sha256() if self.sha256 else hashlib.sha1(b"blob %d\0" % self.size, usedforsecurity=False)
        )
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, lambda: hasher).hexdigest()
        return digest == (self.sha256 or self.git_sha1)


class Hub:
    """A server of models with the interface of Hugging Face.

    Args:
        client: Speaks HTTP; closed by the caller.
        address: Where it is.
    """

    def __init__(self, client: httpx2.Client, address: str = DEFAULT_HUB) -> None:
        self.client = client
        self.address = address.rstrip("/")

    def revision(self, repository: str) -> str:
        """Return the newest revision, so that all files are taken from the same one.

        Raises:
            ModelMissingError: The hub does not have the repository, or does not show it.
            ModelUnreachableError: It does not answer, or not as a hub does.
            OperationTimeoutError: It takes too long.
        """
        found = self._json(f"/api/models/{repository}")
        if not isinstance(found, Mapping) or not _is_hex(found.get("sha")):
            raise self._no_hub()
        return str(found["sha"])

    def files(self, repository: str, revision: str) -> dict[str, RemoteFile]:
        """Return the files of a revision by path.

        Raises:
            ModelMissingError: The hub does not have them, or does not show them.
            ModelUnreachableError: It does not answer, or not as a hub does.
            OperationTimeoutError: It takes too long.
        """
        listed = self._json(f"/api/models/{repository}/tree/{revision}?recursive=true")
        try:
            found = [_remote_file(item) for item in listed if item["type"] == "file"]
        except (KeyError, TypeError, ValueError) as error:
            raise self._no_hub() from error
        return {file.path: file for file in found}

    def url(self, repository: str, revision: str, path: str) -> str:
        """URL of a file's content."""
        return f"{self.address}/{repository}/resolve/{revision}/{path}"

    def _json(self, path: str) -> Any:
        with mapped_hub_errors(self.address), self.watched(_FACTS):
            response = self.client.get(self.address + path)
            check_status(response, self.address)
            try:
                return response.json()
            except ValueError as error:
                raise self._no_hub() from error

    @contextmanager
    def watched(self, limits: ReplyLimits) -> Iterator[None]:
        """Inside the block, hold what the client reads to limits.

        Yields:
            Nothing.

        Raises:
            OperationTimeoutError: A limit was passed.
            HTTPError: Anything else failed.
        """
        import httpx2

        name = Message("{hub}", hub=self.address)
        check = Remedy(advice=Message("run it again; it goes on where it stopped"))
        with WatchedReply(limits, name=name, check=check, library=httpx2) as reply:
            self.client.event_hooks = reply.event_hooks
            try:
                yield
            except httpx2.HTTPError:
                reply.raise_if_passed()
                raise
            finally:
                self.client.event_hooks = {}

    def _no_hub(self) -> ModelUnreachableError:
        return ModelUnreachableError("{hub} does not answer like a model hub", hub=self.address)


def check_status(response: httpx2.Response, address: str) -> None:
    """Pass what succeeded.

    Raises:
        ModelMissingError: The hub does not have it, or does not show it.
        ModelUnreachableError: It failed otherwise.
    """
    if response.is_success:
        return
    if response.status_code in _GONE:
        raise ModelMissingError(
            "the hub does not have this model any more, or does not show it (HTTP {status_code})",
            remedy=Remedy(kind="list_stored", name="models"),
            url=str(response.url),
            _status_code=response.status_code,
        )
    raise ModelUnreachableError(
        "{hub} fails with HTTP {status_code}",
        remedy=Remedy(advice=Message("try again in a moment")),
        hub=address,
        _status_code=response.status_code,
    )


@contextmanager
def mapped_hub_errors(address: str) -> Iterator[None]:
    """Turn errors of the network into those of kebab.

    Yields:
        Nothing.

    Raises:
        ModelUnreachableError: The hub cannot be reached, or the connection broke.
        OperationTimeoutError: It takes too long.
    """
    import httpx2

    try:
        yield
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        mapped: KebabError = ModelUnreachableError(
            "{hub} cannot be reached",
            remedy=Remedy(
                advice=Message("check the network"),
                then=Remedy(advice=Message("run it again; it goes on where it stopped")),
            ),
            hub=address,
            reason=str(error)[:200],
        )
        if isinstance(error, httpx2.TimeoutException) and not isinstance(error, httpx2.ConnectTimeout):
            mapped = OperationTimeoutError(
                "{address} was silent for {timeout_s:.0f} s",
                remedy=Remedy(advice=Message("run it again; it goes on where it stopped")),
                timeout_s=_TIMEOUT_S,
                _address=address,
            )
        raise mapped from error


def hub_client(transport: httpx2.BaseTransport | None = None) -> httpx2.Client:
    """Return a client that follows a hub to where it keeps its files."""
    import httpx2

    return httpx2.Client(timeout=httpx2.Timeout(_TIMEOUT_S), follow_redirects=True, transport=transport)


def _remote_file(item: Mapping[str, Any]) -> RemoteFile:
    large, path = item.get("lfs"), str(item["path"])
    sha256 = str(large["oid"]).removeprefix("sha256:") if large else None
    file = RemoteFile(path, int(item["size"]), sha256, str(item["oid"]))
    if not _is_hex(sha256 or file.git_sha1) or ".." in Path(path).parts or Path(path).is_absolute():
        raise ValueError(path)
    return file


def _is_hex(value: object) -> bool:
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


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
            failure = None
            try:
                _append(hub, url, part, size=file.size, advance=advance)
            except (ModelUnreachableError, OperationTimeoutError) as error:
                failure = error
            if part.stat().st_size <= done:
                raise failure or ModelUnreachableError(
                    "{address} sent only a part of {path}", _address=hub.address, _path=file.path
                )
        if not file.matches(part):
            part.unlink()
            raise ModelCorruptError(
                "{file} arrived with another content than the hub lists",
                remedy=Remedy(kind="retry"),
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
            "the disk is full" if is_full else Message("{path!r} cannot be written", path=str(path)),
            remedy=Remedy(
                kind="free_space", then=Remedy(advice=Message("run it again; it goes on where it stopped"))
            )
            if is_full
            else None,
            file=str(path),
            reason=error.strerror,
        ) from error


def _append(hub: Hub, url: str, part: Path, *, size: int, advance: Callable[[int], None]) -> None:
    """Append what comes through one connection."""
    start = part.stat().st_size
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={start}-"} if start else {})}
    limits = _DOWNLOAD._replace(max_mb=size // _BYTES_PER_MB + 2)
    with (
        mapped_hub_errors(hub.address),
        hub.watched(limits),
        hub.client.stream("GET", url, headers=headers) as response,
    ):
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


def _usable(part: Path, file: RemoteFile) -> int:
    """Bytes of the file that are on disk already; 0 where there are more than the file has."""
    if not part.exists() or part.stat().st_size > file.size:
        part.write_bytes(b"")
    return part.stat().st_size

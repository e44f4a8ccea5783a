"""A folder as a bucket with the interface of S3, for reading, that takes its time over each request."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from urllib.parse import parse_qs, unquote, urlsplit


class SlowBucket(ThreadingHTTPServer):
    """A folder as a bucket that is read, each request of which takes some time.

    Args:
        folder: Of the objects.
        delay_s: Time of each request.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, folder: Path, delay_s: float) -> None:
        super().__init__(("127.0.0.1", 0), _Objects)
        self.folder = folder
        self.delay_s = delay_s
        self.count = 0
        self._lock = Lock()
        self._open = 0
        self._since = self._waited = 0.0

    def begin(self) -> None:
        """Count a request."""
        with self._lock:
            self.count += 1
            self._open += 1
            if self._open == 1:
                self._since = time.monotonic()

    def end(self) -> None:
        """Count the time in which there was one."""
        with self._lock:
            self._open -= 1
            if not self._open:
                self._waited += time.monotonic() - self._since

    def waited_ms(self) -> float:
        """Return the milliseconds in which a request was open."""
        return self._waited * 1000


class _Objects(BaseHTTPRequestHandler):
    server: SlowBucket
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answer with an object, a part of it, or a list."""
        self.server.begin()
        time.sleep(self.server.delay_s)  # noqa: TID251 - what it is for
        status, content, headers = self._answer()
        self.server.end()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    do_HEAD = do_GET  # noqa: N815 - of the base class

    def _answer(self) -> tuple[int, bytes, dict[str, str]]:
        url = urlsplit(self.path)
        asked, name = parse_qs(url.query), unquote(url.path).strip("/").partition("/")[2]
        if "list-type" in asked:
            return 200, self._list(asked.get("prefix", [""])[0], asked.get("delimiter", [""])[0]), {}
        path = self.server.folder / name
        if not path.is_file():
            return 404, b"<Error><Code>NoSuchKey</Code></Error>", {}
        size = path.stat().st_size
        headers = {"ETag": f'"{size}"', "Last-Modified": formatdate(path.stat().st_mtime, usegmt=True)}
        if self.command == "HEAD":
            return 200, b"", {**headers, "Content-Length": str(size)}
        first, _, last = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")
        start = int(first) if first else max(0, size - int(last))
        end = min(size, int(last) + 1) if first and last else size
        with path.open("rb") as file:
            file.seek(start)
            content = file.read(end - start)
        if "Range" not in self.headers:
            return 200, content, headers
        return 206, content, {**headers, "Content-Range": f"bytes {start}-{end - 1}/{size}"}

    def _list(self, prefix: str, delimiter: str) -> bytes:
        folder = self.server.folder / prefix
        found, folders = [], []
        for path in sorted(folder.iterdir() if delimiter else folder.rglob("*")) if folder.is_dir() else ():
            name = path.relative_to(self.server.folder).as_posix()
            if path.is_dir():
                folders += [f"<CommonPrefixes><Prefix>{name}/</Prefix></CommonPrefixes>"] if delimiter else []
                continue
            at = datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
            size = path.stat().st_size
            found.append(
                f"<Contents><Key>{name}</Key><LastModified>{at}</LastModified><ETag>{size}</ETag><Size>{size}</Size></Contents>"
            )
        rows = "".join(found + folders)
        return f"<ListBucketResult><IsTruncated>false</IsTruncated><KeyCount>{len(found)}</KeyCount>{rows}</ListBucketResult>".encode()

    def log_message(self, *_arguments: object) -> None:
        """Tell nobody."""

"""Buckets on loopback: moto's S3 in this process."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

BUCKET = "docs"


class BucketServer:
    """Buckets, and what was asked of them.

    Args:
        serve: moto's application.
    """

    def __init__(self, serve: Callable[[dict[str, Any], Any], Iterable[bytes]]) -> None:
        self._serve = serve
        self.is_careless = False
        """Whether it ignores conditions of writes, as some stores do."""
        self.refusal = ""
        """The code of the error that it answers all requests with."""
        self.requests = Counter[str]()
        """By method."""
        self.port = 0

    def make_bucket(self, name: str) -> None:
        """Make an empty bucket."""
        self._client.create_bucket(Bucket=name)

    def put(self, bucket: str, name: str, content: bytes) -> None:
        """Write an object."""
        self._client.put_object(Bucket=bucket, Key=name, Body=content)

    def remove(self, bucket: str, name: str) -> None:
        """Remove an object."""
        self._client.delete_object(Bucket=bucket, Key=name)

    @cached_property
    def _client(self) -> Any:
        import boto3

        return boto3.client(
            "s3",
            region_name="us-east-1",
            endpoint_url=self.environ["AWS_ENDPOINT_URL"],
            aws_access_key_id="someone",
            aws_secret_access_key="secret",  # noqa: S106 - of nobody
        )

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer a request (WSGI)."""
        self.requests[environ["REQUEST_METHOD"]] += 1
        if self.refusal:
            start_response("403 Forbidden", [("Content-Type", "application/xml")])
            return [f"<Error><Code>{self.refusal}</Code></Error>".encode()]
        if self.is_careless:
            for name in ("HTTP_IF_NONE_MATCH", "HTTP_IF_MATCH"):
                environ.pop(name, None)
        return self._serve(environ, start_response)

    @property
    def environ(self) -> Mapping[str, str]:
        """The variables by which clients find it."""
        return {
            "AWS_ACCESS_KEY_ID": "someone",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_EC2_METADATA_DISABLED": "true",
        }


@contextmanager
def serve_bucket() -> Iterator[BucketServer]:
    """Serve buckets, the empty one `BUCKET` among them.

    Yields:
        The server.
    """
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server
    from werkzeug.test import Client

    class Quiet(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Tell nobody."""

    application = DomainDispatcherApplication(create_backend_app)
    Client(application).post("/moto-api/reset")  # one state for the whole process
    server = BucketServer(application)
    http = make_server("127.0.0.1", 0, server, threaded=True, request_handler=Quiet)
    server.port = http.port
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    try:
        server.make_bucket(BUCKET)
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()

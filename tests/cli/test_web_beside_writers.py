"""The page in the browser while another process writes to the knowledge base."""

from __future__ import annotations

from contextlib import closing

import pytest
from kebab_store_sqlite import hold_writer_lock

from tests.web_server import serve


@pytest.mark.enable_socket
def test_what_another_process_keeps_out_is_said_as_long_as_that_works(kb, inside) -> None:  # type: ignore[no-untyped-def]
    base = inside(kb)
    base.write("a.md", "# Teapot")
    assert base("ingest").code == 0
    with serve(kb.folder) as server, closing(server.connect()) as client:
        with hold_writer_lock(kb.data):
            client.post("/library/read", headers={"Origin": server.origin})
            while "Another kebab is writing (pid" not in client.get("/library").text:
                assert client.get("/x/work").json()["running"]
        assert not client.get("/x/work").json()["running"]
        assert "Another kebab is writing (pid" not in client.get("/library").text

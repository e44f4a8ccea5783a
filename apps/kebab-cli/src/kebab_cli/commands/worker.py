"""`kebab worker`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from kebab_cli.language import tr
from kebab_cli.options import KebabCommand, WholeNumber
from kebab_cli.render import safe_name
from kebab_cli.session import Session, pass_session

_RAY = ("-P", "-m", "ray.scripts.scripts")
_PORT = 6379
"""Ray's own."""


@click.command(cls=KebabCommand)
@click.option("--join", metavar="HOST:PORT", help="Join the cluster whose first machine is there.")
@click.option("--cores", type=WholeNumber(0, 10_000), help="Tasks at a time.  [default: one for each core]")
@click.option(
    "--port", type=WholeNumber(1, 65_535), default=_PORT, help="Port of the first machine.  [default: 6379]"
)
@pass_session
def command(session: Session, *, join: str | None, cores: int | None, port: int) -> None:
    """Make this machine a worker of `kebab ingest --cluster`.

    Runs until Ctrl-C. Without --join, begins a Ray cluster; run that on the machine that ingests. On the others, use
    --join, after copying ~/.ray/auth_token of the first: whoever has it can run programs on every machine. All machines need the same versions of kebab, its extras and Python; one that differs gets no work.
    Needs kebab-cli[cluster].

    Examples:
      kebab worker
      kebab worker --join 10.0.0.5:6379
      kebab worker --cores 0
    """
    import json

    from kebab_app import prepare_worker

    from kebab_cli.faces import require_config

    require_config(session)
    home = Path(session.environ.get("HOME") or Path.home())
    worker = prepare_worker(home, is_first=join is None)
    if join is None:
        path = safe_name(str(worker.token))
        session.console.remark(tr("other machines need a copy of {path} to join", path=path))
    flags = [f"--address={join}"] if join else ["--head", f"--port={port}", "--include-dashboard=false"]
    flags += [f"--resources={json.dumps(worker.resources)}", "--block"]
    flags += [] if cores is None else [f"--num-cpus={cores}"]
    os.execv(sys.executable, [sys.executable, *_RAY, "start", *flags])  # noqa: S606 - this very Python

"""`kebab worker`."""

from __future__ import annotations

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
_STARTED = "Ray runtime started"
_LINES = 8
"""Of Ray's output, shown where it ends by itself."""


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
    session.console.remark(tr("Ray is starting") if join is None else tr("joining {address}", address=join))
    flags = [f"--address={join}"] if join else ["--head", f"--port={port}", "--include-dashboard=false"]
    flags += [f"--resources={json.dumps(worker.resources)}", "--block"]
    flags += [] if cores is None else [f"--num-cpus={cores}"]
    _run_ray(session, [*_RAY, "start", *flags])


def _run_ray(session: Session, arguments: list[str]) -> None:
    """Run Ray until Ctrl-C or SIGTERM, which ends all of its processes.

    Raises:
        ExternalError: It ended by itself.
    """
    import signal
    import subprocess
    from collections import deque

    from kebab_core import ExternalError, Message

    # In a session of its own: Ctrl-C reaches this process alone. Ray ends its processes in order when it is terminated.
    with subprocess.Popen(  # noqa: S603 - this very Python
        [sys.executable, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as ray:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        last: deque[str] = deque(maxlen=_LINES)
        try:
            for line in ray.stdout or ():
                last.append(line)
                if _STARTED in line:
                    session.console.remark(tr("the worker is ready; Ctrl-C ends it"))
        finally:
            ray.terminate()
            ray.wait()
    raise ExternalError("Ray has ended", hint=Message("its last lines: {lines}", lines="".join(last).strip()))

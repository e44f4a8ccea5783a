"""Has a command server run a command with the streams of this process, passes signals on, and ends as the command does.

For clients that start a program by its name. Run as a script, with the address of the server, the module and the arguments.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys


def pass_on(pid: int, number: int) -> None:
    """Send a signal to the command, unless it has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def main() -> None:
    """Run the command to its end."""
    address, module, *arguments = sys.argv[1:]
    request = json.dumps({
        "module": module,
        "arguments": arguments,
        "environ": dict(os.environ),  # noqa: TID251 - the environment of the command
        "cwd": os.getcwd(),  # noqa: PTH109 - `pathlib` takes as long to import as all else here
    }).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        socket.send_fds(connection, [len(request).to_bytes(8, "big")], [0, 1, 2])
        connection.sendall(request)
        with connection.makefile("rb") as reply:
            pid = int(reply.readline())
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda given, _: pass_on(pid, given))
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):  # the command alone holds them now, so that their ends are seen
                os.dup2(nothing, stream)
            code = int(reply.readline())
    if code < 0:
        os.kill(os.getpid(), -code)
    sys.exit(code)


if __name__ == "__main__":
    main()

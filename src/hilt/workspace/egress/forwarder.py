"""Run in a sandbox before the command: opens the port its programs are told of, and hands it out to the proxy.

    python -I -S forwarder.py SOCKET PORT PROGRAM ARGUMENTS...

Stands alone. The open port belongs to the sandbox's own network wherever it is held, so nothing
need stay behind here: what was this program becomes the command.
"""

import os
import sys

ANSWER_WITHIN_S = 10
NOT_STARTED = 127


def hand_out(path: str, port: int) -> str:
    """Open the port and give it to the proxy, with a handle by which the proxy sees this process end."""
    import socket

    with socket.socket() as listener, socket.socket(socket.AF_UNIX) as proxy:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        proxy.settimeout(ANSWER_WITHIN_S)
        process = os.pidfd_open(os.getpid())
        try:
            listener.bind(("127.0.0.1", port))
            listener.listen(64)
            proxy.connect(path)
            socket.send_fds(proxy, [b"port"], [listener.fileno(), process])
            return "" if proxy.recv(1) else "it did not take the port"
        except OSError as error:
            return str(error)
        finally:
            os.close(process)


def main(path: str, port: str, *command: str) -> None:
    """Hand out, and become the command. What goes wrong is said where the command's own errors are."""
    trouble = hand_out(path, int(port))
    if trouble:
        print(f"hilt: the proxy for the allowed hosts cannot be reached: {trouble}", file=sys.stderr, flush=True)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"hilt: {command[0]} cannot be run: {error.strerror}", file=sys.stderr, flush=True)
        os._exit(NOT_STARTED)


if __name__ == "__main__":
    main(*sys.argv[1:])

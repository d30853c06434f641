"""What the host, the launcher and the monitors say to each other: JSON, one message a packet, and descriptors."""

import errno
import json
import os
import socket
from collections.abc import Mapping, Sequence
from typing import cast

PACKET_BYTES = 64 << 10
"""A larger message goes through memory that is handed over: how large a packet may be is the machine's setting."""
MOST_DESCRIPTORS = 16
_IN_MEMORY = b"memory"

Message = Mapping[str, object]


def send(channel: socket.socket, message: Message, descriptors: Sequence[int] = ()) -> None:
    """Send one message. Raises OSError where nobody listens."""
    content = json.dumps(message).encode()
    if len(content) <= PACKET_BYTES:
        socket.send_fds(channel, [content], list(descriptors), socket.MSG_NOSIGNAL)
        return
    memory = os.memfd_create("message", os.MFD_CLOEXEC)
    with open(memory, "wb") as file:
        file.write(content)
        file.flush()
        socket.send_fds(channel, [_IN_MEMORY], [*descriptors, memory], socket.MSG_NOSIGNAL)


def receive(channel: socket.socket) -> tuple[Message | None, list[int]]:
    """The next message and its descriptors, closed on exec; None when the other side is gone.

    Raises BlockingIOError when nothing is there and the channel does not block.
    """
    try:
        content, found, _, _ = socket.recv_fds(channel, PACKET_BYTES, MOST_DESCRIPTORS, flags=socket.MSG_CMSG_CLOEXEC)
    except OSError as fault:
        if fault.errno == errno.ECONNRESET:
            return None, []
        raise
    descriptors = list(found)
    if content == _IN_MEMORY:
        with open(descriptors.pop(), "rb") as file:
            file.seek(0)
            content = file.read()
    return (cast("Message", json.loads(content)) if content else None), descriptors

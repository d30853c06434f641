"""What the host, the launcher and the monitors say to each other: JSON, one message a packet, and descriptors."""

import errno
import json
import os
import socket
from array import array
from collections.abc import Mapping, Sequence
from typing import cast

PACKET_BYTES = 64 << 10
"""A larger message goes through memory that is handed over: how large a packet may be is the machine's setting."""
MOST_DESCRIPTORS = 16
_DESCRIPTOR_BYTES = array("i").itemsize
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
    room = socket.CMSG_SPACE(MOST_DESCRIPTORS * _DESCRIPTOR_BYTES)
    try:  # socket.recv_fds does not hand on its flags, and what is not closed on exec reaches the command
        content, beside, _, _ = channel.recvmsg(PACKET_BYTES, room, socket.MSG_CMSG_CLOEXEC)
    except OSError as fault:
        if fault.errno == errno.ECONNRESET:
            return None, []
        raise
    found = array("i")
    for level, kind, packed in beside:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            found.frombytes(packed[: len(packed) - len(packed) % found.itemsize])
    descriptors = list(found)
    if content == _IN_MEMORY:
        with open(descriptors.pop(), "rb") as file:
            file.seek(0)
            content = file.read()
    return (cast("Message", json.loads(content)) if content else None), descriptors


def write_json(path: str, content: Message) -> None:
    """A file that is there whole or not at all. A job's folder may be gone: then nobody looks for it either."""
    try:
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(content, file)
        os.rename(path + ".new", path)
    except OSError:
        return

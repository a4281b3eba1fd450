"""The user at the other end of a connection, from Linux's sock_diag(7)."""

import os
import socket
import struct
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

_SOCK_DIAG: Final = 4
"""The netlink family of socket queries."""
_BY_FAMILY: Final = 20
_REQUEST: Final = 1
_ESTABLISHED: Final = 1
_HEADER: Final = struct.Struct("=IHHII")
"""`nlmsghdr`: length, type, flags, sequence, port."""
_QUESTION: Final = struct.Struct("=BBBxI")
"""`inet_diag_req_v2` without its socket: family, protocol, extensions, states."""
_SOCKET: Final = struct.Struct("=2s2s4s12x4s12xIII")
"""`inet_diag_sockid`: both ports and addresses (network order), interface, cookie."""
_ANSWER: Final = struct.Struct("=BBBB48xIIIII")
"""`inet_diag_msg`: family, state, timer, retransmissions, the socket, expiry, both queues, user, inode."""
_ANY_COOKIE: Final = 0xFFFFFFFF
_BYTES: Final = 4096

_Address = tuple[str, int]


@dataclass(frozen=True)
class _Socket:
    """The kernel's record of one end of a connection."""

    established: bool
    uid: int


def is_another_users(peer: str, port: int) -> bool:
    """Whether a connection to a server of this process is of another user, or of nobody any more.

    A server knows a connection by its address only, and another user may take the port of one that has ended.

    Args:
        peer: the other end as gRPC names it, `ipv4:127.0.0.1:40000`.
        port: of the server, on 127.0.0.1.

    Returns:
        False as well where the system does not tell (no Linux, or a sandbox without sock_diag).
    """
    kind, _, address = unquote(peer).partition(":")
    if kind != "ipv4":
        return False
    host, _, peer_port = address.rpartition(":")
    theirs, ours = (host, int(peer_port)), ("127.0.0.1", port)
    if _ask(ours, theirs) is None:
        return False
    return _ask(theirs, ours) != _Socket(established=True, uid=os.geteuid())


def _ask(end: _Address, other: _Address) -> _Socket | None:
    """The end `own` of the connection of two addresses, None if the kernel has no record or does not answer."""
    question = _QUESTION.pack(socket.AF_INET, socket.IPPROTO_TCP, 0, 0) + _SOCKET.pack(
        end[1].to_bytes(2), other[1].to_bytes(2), socket.inet_aton(end[0]), socket.inet_aton(other[0]), 0,
        _ANY_COOKIE, _ANY_COOKIE,
    )  # fmt: skip
    header = _HEADER.pack(_HEADER.size + len(question), _BY_FAMILY, _REQUEST, 0, 0)
    try:
        with socket.socket(getattr(socket, "AF_NETLINK", -1), socket.SOCK_RAW, _SOCK_DIAG) as kernel:
            kernel.send(header + question)
            reply = kernel.recv(_BYTES)
    except OSError:
        return None
    _, kind, *_ = _HEADER.unpack_from(reply)
    if kind != _BY_FAMILY:
        return None
    _, state, *_, uid, _ = _ANSWER.unpack_from(reply, _HEADER.size)
    return _Socket(established=state == _ESTABLISHED, uid=uid)

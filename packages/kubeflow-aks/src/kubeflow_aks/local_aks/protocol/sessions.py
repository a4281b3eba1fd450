"""What each connection was configured with.

With `PULUMI_DEBUG_PROVIDERS` every provider instance of every engine shares one process, and no request about a
resource names its instance. But the engine opens one connection for each, so the connection's address identifies the
instance: a session is the configuration sent over the same connection. A later `Configure` (of a second instance, of
the `up` after a preview, of another stack) never changes the session of a running one.

A connection without a `Configure` gets no answer: it may be anybody's. That includes one that gRPC opens again after
30 idle minutes; no operation on the local AKS takes that long. The port of a closed connection may become that of
another one: where the system knows its user, `server` refuses another user's connection.
"""

import threading
from collections import OrderedDict
from typing import Final, Generic, TypeVar

import grpc

from kubeflow_aks.local_aks.protocol.failures import fail

_KEPT: Final = 256

Session = TypeVar("Session")


class Sessions(Generic[Session]):
    """Sessions by the connection they were configured over."""

    def __init__(self) -> None:
        self._by_peer: OrderedDict[str, Session] = OrderedDict()
        self._lock = threading.Lock()

    def configure(self, context: grpc.ServicerContext, session: Session) -> None:
        """Remember what was configured over a connection; the oldest of very many is forgotten."""
        peer = context.peer()
        with self._lock:
            self._by_peer[peer] = session
            self._by_peer.move_to_end(peer)
            while len(self._by_peer) > _KEPT:
                self._by_peer.popitem(last=False)

    def find(self, context: grpc.ServicerContext) -> Session | None:
        """The session of a call's connection, None where it was not configured."""
        with self._lock:
            return self._by_peer.get(context.peer())

    def of(self, context: grpc.ServicerContext) -> Session:
        """The session of a call's connection; the call fails with UNAUTHENTICATED where there is none."""
        session = self.find(context)
        if session is None:
            fail(
                context,
                "this connection was not configured: the local AKS answers its own engine only",
                grpc.StatusCode.UNAUTHENTICATED,
            )
        return session

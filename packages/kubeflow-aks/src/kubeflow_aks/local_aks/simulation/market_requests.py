"""Requests of other processes to the market: a folder with one file for each request, and one for each answer.

Every file is written under another name and renamed when it is complete. The service takes a request by renaming it,
and a caller whose time is over withdraws its request by deleting it; only one of the two succeeds. So every request is
answered once, and one that was reported as not done is not done later. A file that is no request disturbs no other.
Only the user may write into the folder (mode 0700).
"""

import json
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from kubeflow_aks.clients.kubernetes.objects import is_object
from kubeflow_aks.local_aks.run import files, processes
from kubeflow_aks.local_aks.simulation.clock import Clock
from kubeflow_aks.local_aks.simulation.market import (
    ALL,
    Market,
    MarketError,
    MarketEvent,
    MarketRefusedError,
    MarketUnansweredError,
    Reclaim,
    Supply,
    no_spot_pool,
    not_allowed,
)

PATIENCE_SECONDS: Final = 15.0
"""Wall seconds that an answer may take; a step of a busy simulation takes one or two."""
_POLL_SECONDS: Final = 0.05
_LONGEST: Final = 64 * 1024
_WORDS: Final = (*Reclaim, *Supply)


def send(
    folder: Path,
    what: Supply | Reclaim,
    pool: str,
    count: int = 1,
    *,
    node: str = "",
    patience_seconds: float = PATIENCE_SECONDS,
) -> str:
    """Makes something happen on the market of a running service.

    Args:
        folder: the one that the service looks into.
        what: is to happen.
        pool: to which pool; only spot pools have VMs taken from them.
        count: how many nodes are taken; `ALL` for every one.
        node: the one that is taken; empty where the market chooses.
        patience_seconds: wall seconds that the answer may take.

    Returns:
        A sentence about what came of it.

    Raises:
        MarketRefusedError: it is not possible; each line is one mistake.
        MarketUnansweredError: the service did not answer in time.
        DamagedFileError: the answer is none.
    """
    name = f"{time.time_ns():020d}-{uuid.uuid4().hex}"
    request, answer = folder / f"{name}.request", folder / f"{name}.answer"
    try:
        _put(request, {"what": what, "pool": pool, "count": count, "node": node})
    except FileNotFoundError:
        raise MarketUnansweredError("no service looks for requests to the market here") from None
    if not processes.comes_true(answer.exists, patience_seconds, _POLL_SECONDS):
        raise MarketUnansweredError(_silence(request, patience_seconds))
    refused, sentence = files.read(answer, _reply)
    answer.unlink(missing_ok=True)
    if refused:
        raise MarketRefusedError(sentence)
    return sentence


def _reply(text: str) -> tuple[bool, str]:
    """Whether a request was refused, and what came of it."""
    content: dict[str, str] = json.loads(text)
    refused = "refused" in content
    return refused, content["refused" if refused else "happened"]


class MarketRequests:
    """The service's side: carries out requests, and answers each."""

    def __init__(
        self, folder: Path, market: Market, clock: Clock, pools: Callable[[], Mapping[str, bool]]
    ) -> None:
        """Make the folder, without requests to an earlier service.

        Anybody with write access may send requests. `pools` gives the names of the pools there are now, and whether
        each is a spot pool.
        """
        folder.mkdir(mode=0o700, exist_ok=True)
        for path in folder.iterdir():
            with suppress(OSError):
                path.unlink()
        self._folder = folder
        self._market = market
        self._clock = clock
        self._pools = pools

    def serve(self, stop: threading.Event) -> None:
        """Look for requests until `stop` is set."""
        while not stop.wait(_POLL_SECONDS):
            self.look()

    def look(self) -> None:
        """Take every request that is there."""
        for request in sorted(self._folder.glob("*.request")):
            taken = request.with_suffix(".taken")
            with suppress(OSError):  # withdrawn meanwhile, or the disk is full and nothing can be answered
                request.rename(taken)
                self._take(taken)

    def _take(self, taken: Path) -> None:
        try:
            event = self._event(_read(taken))
        except MarketRefusedError as refusal:
            _answer(taken, refused=str(refusal))
            return
        event.outcome.add_done_callback(partial(_report, taken))
        self._market.add(event)

    def _event(self, request: object) -> MarketEvent:
        """The requested event, if there can be one."""
        if not is_object(request):
            raise MarketRefusedError(
                not_allowed("request", request, "a JSON object with what, pool and count")
            )
        what, pool, count = (request.get(key) for key in ("what", "pool", "count"))
        node = request.get("node", "")
        pools = self._pools()
        spot = [name for name, is_spot in pools.items() if is_spot]
        mistakes: list[str] = []
        if what not in _WORDS:
            mistakes.append(not_allowed("what", what, f"one of {', '.join(_WORDS)}"))
        if what in list(Supply):
            if pool not in pools:
                # The supply of on-demand VMs ends, too: a quota is used up, a region is full.
                mistakes.append(not_allowed("pool", pool, f"a pool: {', '.join(pools) or 'none'}"))
        elif pool not in spot:
            mistakes.append(no_spot_pool(pool, spot))
        if not isinstance(count, int) or isinstance(count, bool) or count < ALL:
            mistakes.append(not_allowed("count", count, f"a whole number from 1, or {ALL} for all"))
            count = ALL
        if not isinstance(node, str):
            mistakes.append(not_allowed("node", node, "the name of a node"))
        if mistakes:
            raise MarketRefusedError("\n".join(mistakes))
        return MarketEvent(self._clock.now(), _word(str(what)), str(pool), count, str(node))


def _word(text: str) -> Supply | Reclaim:
    return Reclaim(text) if text in list(Reclaim) else Supply(text)


def _read(taken: Path) -> object:
    """What somebody wrote, if it is JSON."""
    try:
        with taken.open("rb") as file:
            text = file.read(_LONGEST)
    except OSError as error:
        raise MarketRefusedError(f"request: can't be read: {error.strerror}") from None
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        shown = text[:80].decode(errors="replace")
        raise MarketRefusedError(
            not_allowed("request", shown, "a JSON object with what, pool and count")
        ) from None
    return value


def _report(taken: Path, outcome: Future[str]) -> None:
    """Answer with what came of a request; where the disk is full there is no answer, and the caller's time runs out."""
    with suppress(OSError):
        try:
            _answer(taken, happened=outcome.result())
        except MarketError as refusal:
            _answer(taken, refused=str(refusal))


def _answer(taken: Path, **answer: str) -> None:
    _put(taken, answer)
    taken.rename(taken.with_suffix(".answer"))  # no other file is left when the reader finds the answer


def _put(path: Path, value: object) -> None:
    files.write(path, json.dumps(value))


def _silence(request: Path, seconds: float) -> str:
    """Why there is no answer, as a sentence; a request that was not taken yet is withdrawn."""
    try:
        request.unlink()
    except FileNotFoundError:
        return f"the local AKS took the request but did not carry it out in {seconds:.0f} s; see its journal"
    return f"the local AKS did not answer in {seconds:.0f} s; nothing was done"

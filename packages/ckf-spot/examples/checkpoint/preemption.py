"""Azure's notice that it takes this VM back, for a trainer: copy this file beside it. Pure Python.

Azure announces an eviction as the scheduled event `Preempt`, 30 seconds before at best, and may advise of one before as
`SpotRebalanceRecommendation`. A pod may read both from the VM's metadata service unless the cluster forbids that
(docs/facts/aks.md#what-a-pod-sees-of-an-eviction). The advisory also comes as an annotation of the pod, in a file.

The notice is read and never approved: that would let Azure take the VM at once, with the pods of everybody on it.
"""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

ADDRESS = "http://169.254.169.254"
"""Address of the metadata service, on every VM of Azure (instance-metadata-service.md)."""
_EVENTS = "/metadata/scheduledevents"
_VERSION = "2020-07-01"
"""The newest version of scheduled events by their document (linux/scheduled-events.md). Advisories need another one,
which no document names (spot-eviction-risk-notifications), so the service's newest is tried first."""
_TYPES = ("Preempt", "SpotRebalanceRecommendation")
_BAD_REQUEST = 400
_NAME = "/metadata/instance/compute/name?api-version=2021-02-01&format=text"
_TIMEOUT = 2.0
_LONGEST_WAIT = 10.0
"""Seconds between looks where no answer came: short enough to see a notice of 30 s when answers come again."""


def watch(address: str = ADDRESS, every: float = 2.0, file: Path | None = None) -> threading.Event:
    """Looks for notices beside the training; where there is no answer it says so once and goes on looking.

    Args:
        address: of the metadata service; empty for not looking at all.
        every: seconds between looks. A VM answers 5 requests a second, those of all its pods together.
        file: where the pod has its annotation `kubeflow-aks/save-now`; None for not looking at it.

    Returns:
        Set anew by each notice and advisory. Clear it when the checkpoint is saved: an eviction may be called off, and
        another come.
    """
    notice = threading.Event()
    if address:
        threading.Thread(target=_watch, args=(address, every, notice), daemon=True).start()
    if file:
        threading.Thread(target=_watch_file, args=(file, every, notice), daemon=True).start()
    return notice


def notices(document: Any, vm: str) -> set[str]:
    """Ids of the events that announce this VM's eviction, or advise of it.

    Args:
        document: what the service answers; it holds the events of the other VMs of the scale set, too.
        vm: the VM's name, in whatever case.
    """
    return {
        event["EventId"]
        for event in document["Events"]
        if event["EventType"] in _TYPES and vm.lower() in map(str.lower, event["Resources"])
    }


def _watch(address: str, every: float, notice: threading.Event) -> None:
    vm, seen, warned, wait, versions = "", set[str](), False, every, list[str]()
    while True:
        try:
            vm = vm or _get(address + _NAME)
            notified = notices(_document(address, versions), vm)
            wait = every
        except (OSError, HTTPException, ValueError, LookupError, TypeError, AttributeError) as error:
            if not warned:
                print(
                    f"no notice of an eviction can be read yet: {error}\n", end="", flush=True
                )  # in one piece
            warned, notified, wait = True, seen, max(every, min(2 * wait, _LONGEST_WAIT))
        if notified - seen:
            notice.set()
        seen |= notified
        time.sleep(wait)


def _watch_file(file: Path, every: float, notice: threading.Event) -> None:
    last = ""
    while True:
        with suppress(OSError):
            text = file.read_text(encoding="utf-8")
            if text not in {"", last}:
                notice.set()
            last = text
        time.sleep(every)


def _document(address: str, versions: list[str]) -> Any:
    """The events by the first of the versions, which are those to try; what the service refuses is removed."""
    if not versions:
        versions += [*_newest(address), _VERSION]
    while True:
        try:
            return json.loads(_get(f"{address}{_EVENTS}?api-version={versions[0]}"))
        except HTTPError as error:
            if error.code != _BAD_REQUEST or len(versions) == 1:
                raise
            del versions[0]


def _newest(address: str) -> list[str]:
    """The newest version of the service, by its refusal of a request without one (instance-metadata-service.md)."""
    try:
        _get(address + _EVENTS)
    except HTTPError as error:
        if error.code != _BAD_REQUEST:
            raise
        with suppress(ValueError, LookupError, TypeError):
            return [max(json.loads(error.read())["newest-versions"])]
    return []


def _get(url: str) -> str:
    """The answer of the service, without any proxy as it demands."""
    request = urllib.request.Request(url, headers={"Metadata": "true"})  # noqa: S310 - the address is the user's own
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
        request, timeout=_TIMEOUT
    ) as answer:
        return answer.read().decode()

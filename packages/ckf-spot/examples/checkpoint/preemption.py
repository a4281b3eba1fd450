"""Azure's notice that it takes this VM back, for a trainer: copy this file beside it. Pure Python.

Azure announces an eviction as the scheduled event `Preempt`, 30 seconds before at best, and a pod may read it from the
VM's metadata service unless the cluster forbids that (docs/facts/aks.md#what-a-pod-sees-of-an-eviction).

The notice is read and never approved: that would let Azure take the VM at once, with the pods of everybody on it.
"""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from http.client import HTTPException
from typing import Any

ADDRESS = "http://169.254.169.254"
"""Address of the metadata service, on every VM of Azure (instance-metadata-service.md)."""
_EVENTS = "/metadata/scheduledevents?api-version=2020-07-01"
_NAME = "/metadata/instance/compute/name?api-version=2021-02-01&format=text"
_TIMEOUT = 2.0
_LONGEST_WAIT = 10.0
"""Seconds between looks where no answer came: short enough to see a notice of 30 s when answers come again."""


def watch(address: str = ADDRESS, every: float = 2.0) -> threading.Event:
    """Looks for the notice beside the training; where there is no answer it says so once and goes on looking.

    Args:
        address: of the metadata service; empty for not looking at all.
        every: seconds between looks. A VM answers 5 requests a second, those of all its pods together.

    Returns:
        Set anew by each notice. Clear it when the checkpoint is saved: an eviction may be called off, and another come.
    """
    notice = threading.Event()
    if address:
        threading.Thread(target=_watch, args=(address, every, notice), daemon=True).start()
    return notice


def notices(document: Any, vm: str) -> set[str]:
    """Ids of the events that announce this VM's eviction.

    Args:
        document: what the service answers; it holds the events of the other VMs of the scale set, too.
        vm: the VM's name, in whatever case.
    """
    return {
        event["EventId"]
        for event in document["Events"]
        if event["EventType"] == "Preempt" and vm.lower() in map(str.lower, event["Resources"])
    }


def _watch(address: str, every: float, notice: threading.Event) -> None:
    vm, seen, warned, wait = "", set[str](), False, every
    while True:
        try:
            vm = vm or _get(address + _NAME)
            notified = notices(json.loads(_get(address + _EVENTS)), vm)
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


def _get(url: str) -> str:
    """The answer of the service, without any proxy as it demands."""
    request = urllib.request.Request(url, headers={"Metadata": "true"})  # noqa: S310 - the address is the user's own
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
        request, timeout=_TIMEOUT
    ) as answer:
        return answer.read().decode()

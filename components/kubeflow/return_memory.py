"""What the return to spot must not forget: which work was moved, and which fallbacks found no room on spot.

This file runs in the cluster as it is, with `return_script.py`. It is kept in a ConfigMap, because a pod that was moved
has no mark: what its controller makes anew is another pod.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Final

from .script_client import Object

_DAY_SECONDS: Final = 86_400
_MONTH_SECONDS: Final = 30 * _DAY_SECONDS
_FIRST_REST_SECONDS: Final = 1800
_KEY: Final = "memory"


class Memory:
    """Moves by controller, and failed tries by fallback pool.

    Once a pod is moved, all that its controller makes later stays where it starts, for a day after the first move, two
    after the next, and so on up to 30. Pods that were there before may follow it, each once: they are those created no
    later than the first one that was moved, by the API server's clock alone.
    """

    def __init__(
        self, moves: dict[str, Object], rests: dict[str, Object], version: str | None = None
    ) -> None:
        """`moves` and `rests` are those of the ConfigMap, `version` is its resource version."""
        self._moves, self._rests, self._version = moves, rests, version

    @classmethod
    def of(cls, config_map: Object | None) -> Memory:
        """The memory in a ConfigMap, or an empty one for None.

        Raises:
            ValueError: the ConfigMap holds something else, and what was moved is not known.
        """
        if config_map is None:
            return cls({}, {})
        try:
            held = json.loads(config_map["data"][_KEY])
            moves = {
                str(key): {
                    "at": float(move["at"]),
                    "newest": str(move["newest"]),
                    "count": int(move["count"]),
                }
                for key, move in held["moves"].items()
            }
            rests = {
                str(key): {"until": float(rest["until"]), "failures": int(rest["failures"])}
                for key, rest in held["rests"].items()
            }
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            name = "/".join(config_map["metadata"][key] for key in ("namespace", "name"))
            text = f"ConfigMap {name} cannot be read, so nothing is moved; delete it to begin anew ({error})"
            raise ValueError(text) from error
        return cls(moves, rests, config_map["metadata"]["resourceVersion"])

    def config_map(self, name: str) -> Object:
        """The memory as a ConfigMap of that name, of the version that was read."""
        data = {_KEY: json.dumps({"moves": self._moves, "rests": self._rests}, indent=1, sort_keys=True)}
        version = {} if self._version is None else {"resourceVersion": self._version}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **version}, "data": data}

    def saved(self, config_map: Object) -> None:
        """It was written, and is of this version now."""
        self._version = config_map["metadata"]["resourceVersion"]

    def why_not(self, pod: Object, now: float) -> str:
        """Why a pod stays because of what was moved before; empty if nothing was."""
        last = self._moves.get(controller_name(pod))
        if last is None or now >= _end(last) or created(pod) <= last["newest"]:
            return ""
        return "its work was moved before, and is left alone for a day or more"

    def note_move(self, pod: Object, now: float) -> None:
        """A pod is moved; what is older than a month is forgotten."""
        last = self._moves.get(controller_name(pod))
        if last is None or now >= _end(last):
            count = 1 if last is None else last["count"] + 1
            self._moves[controller_name(pod)] = {"at": now, "newest": created(pod), "count": count}
        self._moves = {
            key: move for key, move in self._moves.items() if now < move["at"] + 2 * _MONTH_SECONDS
        }

    def rests(self, pool: str, now: float) -> str:
        """Why nothing of a fallback is tried now; empty if it may be."""
        rest = self._rests.get(pool)
        if rest is None or now >= rest["until"]:
            return ""
        again = datetime.fromtimestamp(rest["until"], UTC).strftime("%Y-%m-%d %H:%M UTC")
        tries = "the last try" if rest["failures"] == 1 else f"the last {rest['failures']} tries"
        return f"{tries} failed; the next one is after {again}"

    def note_failure(self, pool: str, now: float) -> None:
        """A try failed; the next one is later each time, at last a day."""
        failures = self._rests.get(pool, {"failures": 0})["failures"] + 1
        rest = min(_FIRST_REST_SECONDS * 2 ** min(failures - 1, 10), _DAY_SECONDS)
        self._rests[pool] = {"until": now + rest, "failures": failures}

    def note_success(self, pool: str) -> None:
        """A try succeeded."""
        self._rests.pop(pool, None)


def created(obj: Object) -> str:
    """When the API server created an object, as it writes it: later is greater."""
    return obj["metadata"]["creationTimestamp"]


def _end(move: Object) -> float:
    """When the work may be moved again."""
    return move["at"] + min(_DAY_SECONDS * 2 ** min(move["count"] - 1, 10), _MONTH_SECONDS)


def controller(pod: Object) -> Object | None:
    """What makes the pod again; None if nothing does."""
    owners = pod["metadata"].get("ownerReferences", [])
    return next((owner for owner in owners if owner.get("controller")), None)


def controller_name(pod: Object) -> str:
    """The controller by name: one that is made anew, as in a JobSet that starts over, is the same work."""
    owner = controller(pod) or {}
    return f"{pod['metadata']['namespace']}/{owner['kind']}/{owner['name']}"

"""`ckf_spot` reads YAML as the real kubectl does, and kubectl reads what `ckf_spot` writes as it was meant.

kubectl needs no cluster to read a file of a kind that nobody knows and to print it as JSON.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import string
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from ckf_spot import PlacementError
from ckf_spot.cli import main
from ckf_spot.sources import SAMPLE
from ckf_spot.yaml_text import dump, load
from kubeflow_aks.tools import Tools
from tests.local.kubectl import Kubectl

Read = Callable[[Sequence[str]], list[Any]]

_CHARACTERS: Final = "0178_.+-exobEna~"
_BASES: Final = ("0b", "0B", "0o", "0O", "0x", "0X", "0", "")
_DIGITS: Final = (
    *(
        "0",
        "1",
        "7",
        "8",
        "f",
        "12",
        "0b",
        "_1",
        "1_",
        "-1",
        "+1",
        "1.",
        ".1",
        "1e5",
        "1.e5",
        "1e",
        "e5",
        "1e400",
        "1e-400",
    ),
    *(f"{number}" for edge in (2**63, 2**64) for number in (edge - 1, edge)),
    *("1" * 63, "1" * 64, "1" * 65, "f" * 15, "f" * 16, "7" * 21, "7" * 22, "9" * 30, "1" * 5000),
)
_WORDS: Final = ("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nil", "none", "inf", "nan")
_OTHERS: Final = (
    *(
        "2001-01-01",
        "2001-1-1",
        "2001-12-14t21:59:43.10-05:00",
        "2001-12-14 21:59:43.10 -5",
        "12:30:00",
        "-1:30",
    ),
    *(
        "=",
        "<<",
        "8350e12",
        "1_000.5",
        ".1_5",
        ".1__5",
        "1,000",
        "1.2.3",
        "a b",
        "a#b",
        "a:b",
        "http://x.io:80/a?b=c",
    ),
    *("'08'", '"1e3"', "! 08", "!!str 1", '!!int "8"', "!!float 1", '!!bool "y"', '!!null ""', "! a"),
)
_KEYS: Final = (
    *(
        "1",
        "1.5",
        "1e3",
        "1e6",
        "0.1",
        ".5",
        "1e-7",
        "123456",
        "100000.0",
        "-0",
        "true",
        "Yes",
        "n",
        "=",
        "2001-01-01",
    ),
    *(
        "12:30",
        "0x10",
        "0o17",
        "08",
        "1_000",
        "9223372036854775807",
        '"1"',
        "! 1",
        "!!str 1",
        '!!int "1"',
        '""',
    ),
)
_UNBOUND: Final = re.compile(r"[+-]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
"""Numbers that JSON doesn't have; both refuse them."""
_STREAMS: Final = (
    "spec: {<<: {a: 1}, a: 2}",
    "spec: {a: 2, <<: {a: 1}}",
    "spec: {<<: [{a: 1}, {a: 3, b: 2}]}",
    "spec: {a: 1, <<: {b: 1}, <<: {b: 2}}",
    'spec: {"<<": {a: 1}}',
    "spec: {a: &x 1, b: &x 2, c: *x}",
    "x: &a k\nspec: {*a : 1}",
    "spec:\n  ? a\n  : b\n  ? c\n",
    "spec: |+\n  a\n\n\n",
    "spec: >-\n  a\n  b\n\n   c\n",
    "spec: |\n  a",
    "spec: |2-\n    a\n",
    'spec: "a\\x41\\u00e9\\U0001F600 \\\n   b"',
    "spec: 'a''b\n\n  c'",
    'spec: {a: "\ttab", b: a\tb}\t# c',
    "spec:\t[a,\n\tb]",
    "spec: a\n \tb",
    "spec: [a: b, c, {d, e: }]",
    "spec: {\"a\":1, b:1, 'c': 1}",
    "spec: x\n...\n",
    "spec: x\n--- # c\n# nothing\n---\n",
)
_REFUSED: Final = (
    *(
        "{~: 1}",
        "{18446744073709551615: 1}",
        "{[a]: 1}",
        "{{a: b}: 1}",
        "{<<: 1}",
        "{<<: [1]}",
        "[.inf]",
        "[.NaN]",
    ),
    *(
        "[!!int a]",
        "[!!bool a]",
        "[!!null a]",
        "*nope",
        "&a [*a]",
        "&a &b 1",
        "@a",
        "a: b",
        "- a",
        '"a',
        "[a]]",
        '"\\ud800"',
    ),
    *("a\x01", "\n\ta: 1", "|x\n  a", "{a: b"),
)
"""What follows `spec: `; kubectl refuses it too."""
_STRICTER: Final = {
    "{a: 1, a: 2}": {"a": 2},
    "{12345678.9: 1}": {"1.2345679e+07": 1},
    "{.inf: 1}": {".inf": 1},
    "[!foo 1]": ["1"],
    "[!!binary aGFs]": ["hal"],
}
"""What kubectl reads, and otherwise than it is likely meant."""


@pytest.fixture
def read(tools: Tools, tmp_path: Path) -> Read:
    """What kubectl makes of the specs of objects, each in a file of its own; None where it refuses the file."""

    def read(texts: Sequence[str]) -> list[Any]:
        for number, text in enumerate(texts):
            content = f"apiVersion: x.io/v1\nkind: X\nmetadata: {{name: n{number}}}\n{text}"
            (tmp_path / f"{number}.yaml").write_bytes(content.encode())
        command = [tools["kubectl"], "annotate", "--local", "--kubeconfig=/dev/null", "-o", "json", "a=b"]
        done = subprocess.run([*command, "-f", tmp_path], capture_output=True, text=True, check=False)
        objects = json.loads("[" + done.stdout.replace("\n}\n{", "\n},{") + "]")
        specs = {obj["metadata"]["name"]: obj["spec"] for obj in objects}
        return [specs.get(f"n{number}") for number in range(len(texts))]

    return read


def _spec(text: str) -> Any:
    """What `ckf_spot` makes of it."""
    documents = load(text, "f").documents
    assert len(documents) == 1
    return documents[0]["spec"]


def _is_same(ours: Any, theirs: Any) -> bool:
    """JSON knows one type of numbers only; beyond 53 bits kubectl's own are rounded."""
    match ours, theirs:
        case (bool(), _) | (_, bool()):
            return ours is theirs
        case (int() | float(), int() | float()):
            return ours == theirs or float(ours) == float(theirs)
        case _:
            return type(ours) is type(theirs) and ours == theirs


def _scalars() -> list[str]:
    short = (
        "".join(characters)
        for length in (1, 2, 3)
        for characters in itertools.product(_CHARACTERS, repeat=length)
    )
    numbers = ("".join(parts) for parts in itertools.product(("", "+", "-", "_", "00"), _BASES, _DIGITS))
    cases = (
        "".join(letter_cases)
        for word in _WORDS
        for dot in ("", ".", "-.", "+.")
        for letter_cases in itertools.product([dot], *({letter, letter.upper()} for letter in word))
    )
    letters = (f"{first}{second}" for first, second in itertools.product(string.digits, string.ascii_letters))
    scalars = dict.fromkeys((*short, *numbers, *cases, *letters, *_OTHERS))
    return [
        scalar for scalar in scalars if scalar not in ("-", "---", "...") and not _UNBOUND.fullmatch(scalar)
    ]


def test_every_scalar_means_what_it_means_to_kubectl(read: Read) -> None:
    scalars = _scalars()
    text = "spec:\n" + "".join(f"- {scalar}\n" for scalar in scalars)

    [theirs] = read([text])
    ours = _spec(text)

    assert len(scalars) > 6000
    wrong = [trio for trio in zip(scalars, ours, theirs, strict=True) if not _is_same(*trio[1:])]
    assert wrong == []


def test_every_key_is_the_text_that_it_is_to_kubectl(read: Read) -> None:
    texts = [f"spec: {{{key}: 1}}" for key in _KEYS]
    assert [_spec(text) for text in texts] == read(texts)


def test_every_form_of_a_document_means_what_it_means_to_kubectl(read: Read) -> None:
    assert [_spec(text) for text in _STREAMS] == read(_STREAMS)


def test_what_kubectl_refuses_is_refused(read: Read) -> None:
    texts = [f"spec: {value}\n" for value in _REFUSED]
    for text in texts:
        with pytest.raises(PlacementError, match=r"^f, line \d+: malformed YAML: "):
            load(text, "f")
    assert read(texts) == [None] * len(texts)


def test_what_is_refused_beyond_that_is_what_kubectl_reads_otherwise_than_it_looks(read: Read) -> None:
    texts = [f"spec: {value}\n" for value in _STRICTER]
    for text in texts:
        with pytest.raises(PlacementError, match=r"^f, line 1: malformed YAML: "):
            load(text, "f")
    assert read(texts) == list(_STRICTER.values())


def test_kubectl_reads_the_texts_that_were_written(read: Read) -> None:
    scripts = (
        "a\nb\n",
        "a\n",
        "\n",
        "\na",
        " a\nb",
        "a \nb",
        "a\n\n\n",
        "\t",
        "\x00",
        "\x85",
        "\u2028",
        "\ufeff",
        "😀",
        "- a",
        "#",
    )
    texts = [text for text in (*_scalars(), *scripts) if len(text) < 100]
    written = dump([{"spec": {"list": texts, "map": dict.fromkeys(texts, 1)}}])

    [theirs] = read([written])

    assert theirs == {"list": texts, "map": dict.fromkeys(texts, 1)}
    assert _spec(written) == theirs


def test_a_number_comes_out_as_it_was(read: Read) -> None:
    numbers = [0, -1, 2**63 - 1, -(2**63), 0.5, 1e-7, 1e20, 1.5e300, -0.1, math.pi]
    assert read([dump([{"spec": numbers}])]) == [numbers]


_JOB: Final = """\
apiVersion: batch/v1
kind: Job
metadata: {name: texts}
spec:
  template:
    metadata:
      annotations:
TEXTS
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: trainer:1
          # as texts
          args: [y, "1e-3", LIST]
          env:
            - {name: ALL, value: "08"}
"""


def test_a_placed_jobs_texts_arrive_at_the_api_server(tools: Tools, kubeconfig: Path, tmp_path: Path) -> None:
    texts = [text for text in _OTHERS if not text.startswith(("!", "'", '"'))]
    quoted = [json.dumps(text) for text in texts]
    job = _JOB.replace("TEXTS", "\n".join(f"        t{n}: {text}" for n, text in enumerate(quoted)))
    job = job.replace("y, ", '"y", ').replace("LIST", ", ".join(quoted))
    (tmp_path / "job.yaml").write_text(job)

    assert (
        main(
            [
                "place",
                "-f",
                f"{tmp_path}/job.yaml",
                "--pools",
                str(SAMPLE),
                "--pool",
                "cpu",
                "-o",
                f"{tmp_path}/o.yaml",
            ]
        )
        == 0
    )
    placed = (tmp_path / "o.yaml").read_text()
    kubectl = Kubectl(tools, kubeconfig)
    kept = json.loads(
        kubectl.run("create", "--dry-run=server", "--validate=strict", "-o", "json", "-f", "-", stdin=placed)
    )

    template = kept["spec"]["template"]
    assert (
        template["metadata"]["annotations"].items() >= {f"t{n}": text for n, text in enumerate(texts)}.items()
    )
    [container] = template["spec"]["containers"]
    assert container["args"] == ["y", "1e-3", *texts]
    assert container["env"] == [{"name": "ALL", "value": "08"}]
    assert template["spec"]["tolerations"]
    assert [line for line in job.splitlines() if line not in placed.splitlines()] == []

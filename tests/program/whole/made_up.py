"""Made-up stack files: a real one with some values, keys or characters changed, the same for the same seed.

`python -m tests.program.whole.made_up [COUNT] [SEED]` judges many and prints what came of them.
"""

import random
import re
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, cast

from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.project_file import StackFileError
from kubeflow_aks.recorder.stack_files import read_stack
from program.planning import plan
from program.settings import SettingsError
from program.settings.stack import from_text

LINE = re.compile(r"[^\n]+: (missing|.+ is not allowed); expected .+")
FILE_LINE = re.compile(r"Pulumi\.(made\.)?yaml.*: .+")
DAY = date(2026, 11, 22)
_BASES = ("dev", "prod", "demo")
_VALUES = [
    *(
        "yes",
        "no",
        "on",
        "true",
        "TRUE",
        "'true'",
        "null",
        "~",
        "",
        "''",
        "[]",
        "{}",
        "[[]]",
        "[null]",
        "{a: b}",
        "{1: 2}",
    ),
    *(
        "0",
        "-1",
        "1",
        "5",
        "'5'",
        "1e1",
        "0x10",
        "010",
        "0o7",
        "1_000",
        "1.0",
        "1.34",
        ".5",
        "-.5",
        "1e400",
        "9" * 50,
    ),
    *(
        "2026-11-22",
        "22:00",
        "+10:30",
        "10.0.0.0/8",
        "0.0.0.0/0",
        "10.224.0.1",
        "169.254.0.0/16",
        "::/0",
        "text",
        "Spot",
    ),
    *(
        "Standard_D8s_v5",
        "standard_d8s_v5",
        "Standard_NC24ads_A100_v4",
        "Foo",
        "westus",
        "a" * 300,
        "ü",
        "'a b'",
        "'\"'",
    ),
    *(
        "[1, 2, 3]",
        "['1', '2']",
        "['1', 1]",
        "{secure: v1:abc}",
        "[{secure: x}]",
        "'\\n'",
        '"\\n"',
        '"\\ud800"',
        "*nobody",
    ),
    *(
        "&self [*self]",
        "!!str 5",
        "!!int x",
        ".nan",
        "-.inf",
        "[" * 60 + "]" * 60,
        "x: y",
        "- x",
        "NoSchedule",
        "a=b:NoSchedule",
    ),
]
_CHARACTERS = "{}[]:,'\"#&*!|>%@`\t\n -?\x07é\u2028"
_NAMES = (
    "yes",
    "1",
    "null",
    "pools",
    "labels",
    "vmSize",
    "kubeflow-ask:protect",
    "a.b",
    "secure",
    "<<",
    "ünï",
    "",
)


def made_up(count: int, seed: int) -> Iterator[str]:
    """Texts of stack files."""
    chance = random.Random(seed)  # noqa: S311 - made up, not secret
    bases = [(PROJECT_ROOT / f"Pulumi.{name}.yaml").read_text(encoding="utf-8") for name in _BASES]
    for _ in range(count):
        text = chance.choice(bases)
        for _ in range(chance.choice((1, 1, 2, 3, 6))):
            text = chance.choice((_with_value, _with_value, _with_key, _without_line, _with_character))(
                text, chance
            )
        yield text


def judged(text: str, folder: Path) -> tuple[str, list[str]]:
    """What comes of a stack file: `read`, `refused` or `unreadable`, and the lines a user sees."""
    (folder / "Pulumi.made.yaml").write_text(text, encoding="utf-8")
    try:
        stack = read_stack(folder, "made")
        values = {name: from_text(name, value) for name, value in _texts(stack.values)}
        return "read", list(plan(values, project="kubeflow-aks", stack="made", today=DAY).warnings)
    except StackFileError as error:
        return "unreadable", [str(error)]
    except SettingsError as error:
        return "refused", str(error).split("\n")


def wrong(outcome: str, lines: list[str]) -> list[str]:
    """What is wrong with the lines."""
    form = {"refused": LINE, "unreadable": FILE_LINE}.get(outcome)
    bad = [line for line in lines if not line.isprintable() or (form and not form.fullmatch(line))]
    return bad + [f"twice: {line}" for line, times in Counter(lines).items() if times > 1]


def _texts(values: Any) -> Iterator[tuple[str, str]]:
    for key, text in cast(dict[str, str], values).items():
        namespace, _, name = key.partition(":")
        yield (name if namespace == "kubeflow-aks" else key), text


def _with_value(text: str, chance: random.Random) -> str:
    """Another value after some colon."""
    places = list(re.finditer(r": +([^\s{\[,}\]][^,}\]\n]*)", text))
    place = chance.choice(places)
    return text[: place.start(1)] + chance.choice(_VALUES) + text[place.end(1) :]


def _with_key(text: str, chance: random.Random) -> str:
    """Another key before some colon."""
    place = chance.choice(list(re.finditer(r"([A-Za-z0-9]+): ", text)))
    old = place[1]
    new = chance.choice([*_NAMES, old.lower(), old[:-1], old + old[-1], old.title()])
    return text[: place.start(1)] + new + text[place.end(1) :]


def _without_line(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    del lines[chance.randrange(len(lines))]
    return "".join(lines)


def _with_character(text: str, chance: random.Random) -> str:
    place = chance.randrange(len(text))
    return text[:place] + chance.choice(_CHARACTERS) + text[place + chance.choice((0, 1)) :]


def project(folder: Path) -> Path:
    """A folder with the project's file."""
    (folder / "Pulumi.yaml").write_bytes((PROJECT_ROOT / "Pulumi.yaml").read_bytes())
    return folder


def main(count: int, seed: int) -> int:
    """Judges many files; a traceback or a line of the wrong form is a failure."""
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = project(Path(name))
        for text in made_up(count, seed):
            try:
                outcome, lines = judged(text, folder)
                bad = wrong(outcome, lines)
            except Exception:  # noqa: BLE001 - it is what is looked for
                outcome, bad = "traceback", traceback.format_exc().splitlines()[-1:]
            outcomes[outcome] += 1
            if bad:
                outcomes["wrong"] += 1
                print(text, *bad, "-----", sep="\n")
    print(dict(outcomes))
    return 1 if outcomes["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, [*sys.argv[1:], "1000", "1"][:2])))

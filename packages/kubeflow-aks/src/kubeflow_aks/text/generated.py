"""`python -m kubeflow_aks.text.generated --write | --check MODULE …`: the files that modules generate.

Each module has a function `generated(root)`, which returns the text of each of its files by the path in the project.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path


def main(arguments: Sequence[str] | None = None, root: Path = Path()) -> int:
    """Writes the generated files of a project folder, or reports stale ones: 1 if `--check` finds one, else 0."""
    parser = argparse.ArgumentParser(prog="kubeflow_aks.text.generated", description=__doc__)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true", help="write what is stale")
    mode.add_argument("--check", action="store_true", help="exit with 1 if something is stale")
    parser.add_argument(
        "modules", metavar="MODULE", nargs="+", help="a module, such as program.settings.reference"
    )
    options = parser.parse_args(arguments)
    stale: dict[Path, str] = {}
    for module in options.modules:
        texts = import_module(module).generated(root)
        stale |= {path: text for path, text in texts.items() if _text(root / path) != text}
    for path, text in stale.items():
        if options.write:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        print(f"{path}: {'written' if options.write else 'stale; run make docs'}")
    return 1 if options.check and stale else 0


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())

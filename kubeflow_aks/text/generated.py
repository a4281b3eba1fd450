"""The command line of modules that generate files: `--write` writes them, `--check` reports stale ones."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path


def write_or_check(
    generate: Callable[[], Mapping[Path, str]],
    arguments: Sequence[str] | None,
    root: Path,
    *,
    prog: str,
    description: str | None,
) -> int:
    """Writes generated files, or reports stale ones.

    Args:
        generate: returns the text of each file, by its path in the project.
        arguments: of the command line; None for those of the process.
        root: the project folder.
        prog: the module, for the help text.
        description: for the help text.

    Returns:
        0; 1 if `--check` finds a stale file.
    """
    parser = argparse.ArgumentParser(prog=prog, description=description)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true", help="write what is stale")
    mode.add_argument("--check", action="store_true", help="exit with 1 if something is stale")
    options = parser.parse_args(arguments)
    stale = {path: text for path, text in generate().items() if _text(root / path) != text}
    for path, text in stale.items():
        if options.write:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        print(f"{path}: {'written' if options.write else 'stale; run make docs'}")
    return 1 if options.check and stale else 0


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""

"""`python -m kubeflow_aks.scenario.report.picture RECORDING PICTURE`: the timeline of a recorded demo as one SVG."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from kubeflow_aks.scenario.checks import check_all, summary
from kubeflow_aks.scenario.observations import Observations, from_json
from kubeflow_aks.scenario.report.svg import picture
from kubeflow_aks.scenario.report.words import words_for


def drawn(observed: Observations) -> str:
    """The picture: how many checks passed, the pools for batch work, the steps, and a legend."""
    words = words_for(observed.where)
    return picture(observed, f"{summary(check_all(observed))}, on {words.place}", words.caption)


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the picture of a recording, or checks that it is up to date.

    Returns:
        0; 1 if `--check` finds another picture or none.
    """
    parser = argparse.ArgumentParser(prog="kubeflow_aks.scenario.report.picture", description=__doc__)
    parser.add_argument("recording", type=Path, help="observations of a demo, such as build/demo/demo.json")
    parser.add_argument("picture", type=Path, help="SVG file to write")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if the file is stale"
    )
    options = parser.parse_args(arguments)
    before = options.picture.read_text(encoding="utf-8") if options.picture.exists() else ""
    after = drawn(from_json(options.recording.read_text(encoding="utf-8")))
    if before == after:
        return 0
    if not options.check:
        options.picture.write_text(after, encoding="utf-8")
    print(f"{options.picture}: {'stale; run make docs' if options.check else 'written'}")
    return 1 if options.check else 0


if __name__ == "__main__":
    sys.exit(main())

"""The components as a Pulumi plugin, for programs in any language: `python components <address of the engine>`."""

import sys
from pathlib import Path

if not __package__:  # Pulumi runs this folder, not the package in it
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from pulumi.provider import main

from components.package import Package

if __name__ == "__main__":
    main(Package(), sys.argv[1:])

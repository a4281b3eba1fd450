"""The components as a Pulumi plugin, for programs in any language: `python components <address of the engine>`."""

import sys
from pathlib import Path

if not __package__:  # Pulumi runs this folder, not the package in it
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from pulumi.provider.experimental import component_provider_host

from components.package import COMPONENTS, NAME, VERSION

if __name__ == "__main__":
    component_provider_host(COMPONENTS, NAME, version=VERSION)

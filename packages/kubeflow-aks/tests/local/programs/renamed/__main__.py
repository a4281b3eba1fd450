"""A component whose child was renamed, with or without the alias."""

import sys
from pathlib import Path

import pulumi
from pulumi_azure_native import resources

sys.path.append(str(Path(__file__).resolve().parents[6]))  # the folder that holds components/

from components.azure.aliases import without_version_aliases


class Team(pulumi.ComponentResource):
    """A component with one child."""

    def __init__(self, name: str, child: str, *aliases: pulumi.Alias) -> None:
        super().__init__("renamed:index:Team", name, {})
        opts = pulumi.ResourceOptions(parent=self, aliases=list(aliases))
        resources.ResourceGroup(child, resource_group_name="renamed", location="westeurope", opts=opts)


config = pulumi.Config()
old = config.get("alias")
pulumi.runtime.register_stack_transformation(without_version_aliases)
Team("team", config.get("child") or "old", *([pulumi.Alias(name=old)] if old else []))

"""Registers again what other programs registered: type, name, inputs, and the options that decide about changes."""

import json
from pathlib import Path

import pulumi

made: dict[str, pulumi.CustomResource] = {}
file = Path(pulumi.Config().require("resources"))
for resource in json.loads(file.read_text(encoding="utf-8")):
    inputs = resource["inputs"]
    if "identity" in inputs:
        inputs["identity"]["userAssignedIdentities"] = [made[name].id for name in resource["dependsOn"]]
    options = pulumi.ResourceOptions(
        ignore_changes=resource["ignoreChanges"],
        replace_on_changes=resource["replaceOnChanges"],
        depends_on=[made[name] for name in resource["dependsOn"]],
    )
    made[resource["name"]] = pulumi.CustomResource(resource["type"], resource["name"], inputs, options)

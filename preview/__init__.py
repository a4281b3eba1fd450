"""Shows what `pulumi up` would create, from one recorded run: no account, no CLI, nothing created."""

"""Shows what `pulumi up` would create, from one recorded run, without an account and without the Pulumi CLI."""

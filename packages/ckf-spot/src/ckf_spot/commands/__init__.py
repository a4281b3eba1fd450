"""The subcommands of `ckf-spot`."""

"""Previews what a change of the program or its settings would do to each stack, without an account."""

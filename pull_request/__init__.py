"""What a change of the program or of its settings would do to each stack, without an account."""

"""Takes over a cluster that other means made: its stack file, its import, and what the program changes of it."""

"""Another commit of this repository: its files, its environment and the plan of its program."""

"""Another commit of this repository: which one, its files, its environment, and what its program says."""

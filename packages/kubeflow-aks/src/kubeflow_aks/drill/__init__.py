"""The drill: spot nodes are taken for real, and what becomes of the work on them is watched."""

"""Work on one node that takes time: drains, evictions, removals."""

"""Whether a cluster is ready for spot work, and whether a file is right for it; nothing is changed."""

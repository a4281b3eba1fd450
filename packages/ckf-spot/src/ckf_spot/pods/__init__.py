"""A pod's template: whether it is well-formed, whether it fits the pools, and what placing puts on it."""

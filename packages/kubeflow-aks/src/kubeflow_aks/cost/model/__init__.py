"""The model: from a step of work and an eviction rate to billed hours. Pure functions of numbers, times in hours."""

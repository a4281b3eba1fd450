"""Benchmarks: two variants in one run, reported as ratios, because machines differ and are noisy."""

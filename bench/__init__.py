"""Benchmarks: two ways side by side in one run, told as ratios, because machines are noisy."""

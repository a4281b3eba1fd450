"""Tests on the real engine and a real control plane."""

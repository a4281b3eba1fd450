"""Blob storage for checkpoints and profiles."""

"""The alerts in the real Prometheus."""

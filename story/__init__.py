"""The story of work on spot machines: played scene by scene on a cluster, watched, and judged by promises."""

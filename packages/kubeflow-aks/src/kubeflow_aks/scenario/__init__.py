"""The scenario of work on spot machines: played step by step on a cluster, observed and checked."""

"""The demo: plays the scenario on a local AKS and checks what was observed."""

"""The simulation with a control plane in memory and a clock that goes from event to event: a month in seconds."""

"""Where pods run and ran: on which pool, on spot or on demand, how often they were evicted, and what is wrong."""

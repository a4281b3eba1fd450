"""Where pods run and ran: on which pool, on spot or on demand, how often evicted, and what should not be so."""

"""`python -m local_aks`: a local AKS of a stack to look at, to play with and to remove."""

import os
import signal
import sys

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the imports take a second, and nothing has begun yet

    from local_aks.cli import main

    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # Python would take seconds to free the Azure SDK's classes one by one

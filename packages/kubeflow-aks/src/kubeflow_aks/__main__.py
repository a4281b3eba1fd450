"""`python -m kubeflow_aks`, and `kubeflow-aks` where the package is installed."""

from typing import NoReturn

from kubeflow_aks import interrupts


def main() -> NoReturn:
    """Runs the command line in a process of its own."""
    interrupts.exit_at_once()
    from kubeflow_aks.cli.process import run  # noqa: PLC0415 - signals first, for imports take time

    run()


if __name__ == "__main__":
    main()

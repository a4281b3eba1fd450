"""What to change in a stack file to pay less; nothing that planning refuses.

`kinds/` has one function for each kind of change, `trials` runs the program with it, `advising` puts them in order.
"""

from kubeflow_aks.cost.advice.advice import Advice, Advised
from kubeflow_aks.cost.advice.advising import advise, with_scores

__all__ = ["Advice", "Advised", "advise", "with_scores"]

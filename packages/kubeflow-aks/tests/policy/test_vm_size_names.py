"""What the rules read out of a VM size's name is what the catalogue says of it."""

import aks_facts
from kubeflow_aks.policy.rules.resources import Pool


def test_the_name_of_every_size_has_gpu_and_processor() -> None:
    read = {name: Pool("", {"vmSize": name}) for name in aks_facts.vm_sizes()}
    assert len(read) > 1000
    sizes = aks_facts.vm_sizes().items()
    assert [name for name, size in sizes if read[name].gpu != bool(size.gpus)] == []
    assert [name for name, size in sizes if read[name].arm != (size.architecture == "arm64")] == []

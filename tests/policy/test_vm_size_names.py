"""What the rules read out of a VM size's name is what the catalogue says of it."""

import catalogue
from policy.rules.seen import Pool


def test_the_name_of_every_size_tells_gpu_and_processor() -> None:
    read = {name: Pool("", {"vmSize": name}) for name in catalogue.vm_sizes()}
    assert len(read) > 1000
    said = catalogue.vm_sizes().items()
    assert [name for name, size in said if read[name].gpu != bool(size.gpus)] == []
    assert [name for name, size in said if read[name].arm != (size.architecture == "arm64")] == []

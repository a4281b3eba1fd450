"""Who reaches the API server of a stack."""

from kubeflow_aks.recorder.run import Record, record
from tests.program.whole.records import AS_OF, CLUSTER, recorded


def authorised(recording: Record) -> list[str] | None:
    """The ranges that may call the API server, or None where all may."""
    return recording.one(CLUSTER).inputs["apiServerAccessProfile"].get("authorizedIPRanges")


def test_nodes_behind_a_nat_gateway_may_call_the_api_server() -> None:
    assert authorised(recorded("prod")) == ["203.0.113.0/24", "198.51.100.4/32"]


def test_nodes_behind_the_clusters_load_balancer_are_added_by_aks() -> None:
    access = {"authorizedIpRanges": ["203.0.113.0/24"]}
    assert authorised(record("dev", extra={"apiAccess": access, "asOf": AS_OF})) == ["203.0.113.0/24"]


def test_a_single_address_is_put_as_azure_gives_it_back() -> None:
    access = {"authorizedIpRanges": ["203.0.113.7", "198.51.100.0/24"]}
    recording = record("dev", extra={"apiAccess": access, "asOf": AS_OF})
    assert authorised(recording) == ["203.0.113.7/32", "198.51.100.0/24"]


def test_an_open_api_server_stays_open(dev: Record) -> None:
    assert authorised(dev) is None

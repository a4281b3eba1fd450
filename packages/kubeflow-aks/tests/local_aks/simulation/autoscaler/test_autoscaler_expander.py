"""The expander picks the group; the priority map follows Go's and AKS's rules."""

import random

import pytest

from kubeflow_aks.local_aks.simulation.autoscaler.expander import (
    InvalidPrioritiesError,
    Option,
    choose,
    parse_priorities,
)
from kubeflow_aks.local_aks.simulation.autoscaler.packing import template_bin
from kubeflow_aks.local_aks.simulation.vms.agent_pools import AgentPool
from kubeflow_aks.local_aks.simulation.vms.nodes import scale_set_name
from tests.local_aks.simulation.autoscaler.builders import a_group, a_pod, a_pool
from tests.local_aks.simulation.simulated import pod_spec

SPOT, OTHER, LARGE = a_pool("cpuspot"), a_pool("cpuod"), a_pool("large", vmSize="Standard_D16s_v5")


def option(pool: AgentPool, *, pods: int = 1, nodes: int = 1) -> Option:
    group = a_group(pool)
    made = tuple(a_pod(f"p{i}", spec=pod_spec(cpu="4")) for i in range(pods))
    return Option(group, nodes, made, template_bin(group.template, ()))


def pick(
    options: list[Option], expander: str = "priority", priorities: str | None = None
) -> tuple[set[str], list[str]]:
    """The pools chosen over several seeds, and the reasons of the notices."""
    seeds = [random.Random(seed) for seed in range(20)]  # noqa: S311 - repeatable on purpose
    results = [choose(options, expander, priorities, seed) for seed in seeds]
    return {chosen.group.pool for chosen, _ in results}, [notice.reason for notice in results[0][1]]


def test_the_highest_number_wins() -> None:
    assert pick([option(SPOT), option(OTHER)], priorities="10:\n- cpuod\n50:\n- cpuspot\n") == (
        {"cpuspot"},
        [],
    )


def test_expressions_are_not_anchored() -> None:
    chosen, _ = pick([option(SPOT), option(OTHER)], priorities="1:\n- .*\n9:\n- uo\n")
    assert chosen == {"cpuod"}


def test_the_programs_own_kind_of_expression_matches_the_scale_sets_name() -> None:
    chosen, notices = pick(
        [option(SPOT), option(OTHER)], priorities="9:\n- ^aks-cpuspot-[0-9]+-vmss$\n1:\n- .*\n"
    )
    assert (chosen, notices) == ({"cpuspot"}, [])


def test_equal_priorities_are_settled_at_random() -> None:
    assert pick([option(SPOT), option(OTHER)], priorities="7:\n- cpu\n")[0] == {"cpuspot", "cpuod"}


def test_a_group_that_matches_nothing_is_not_used_and_warned_about() -> None:
    chosen, notices = pick([option(SPOT), option(OTHER)], priorities="7:\n- cpuod\n")
    assert (chosen, notices) == ({"cpuod"}, ["PriorityConfigMapNotMatchedGroup"])


def test_when_no_group_matches_all_of_them_are_used() -> None:
    chosen, notices = pick([option(SPOT), option(OTHER)], priorities="7:\n- gpu\n")
    assert chosen == {"cpuspot", "cpuod"}
    assert notices[-1] == "PriorityConfigMapNoGroupMatched"


def test_priorities_below_minus_one_never_win() -> None:
    assert pick([option(SPOT), option(OTHER)], priorities="-2:\n- cpuspot\n-1:\n- cpuod\n")[0] == {"cpuod"}


def test_an_invalid_map_is_skipped_with_a_warning() -> None:
    chosen, notices = pick([option(SPOT), option(OTHER)], priorities="fifty:\n- cpuspot\n")
    assert (chosen, notices) == ({"cpuspot", "cpuod"}, ["PriorityConfigMapInvalid"])


def test_without_the_config_map_the_choice_is_random_and_silent() -> None:
    assert pick([option(SPOT), option(OTHER)]) == ({"cpuspot", "cpuod"}, [])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- cpuspot",
        "10: cpuspot",
        "ten:\n- x\n",
        "true:\n- x\n",
        "10:\n- '['\n",
        "10:\n- '(?=spot)'\n",
        "10:\n- '(?<!od)$'\n",
        "10:\n- '(a)\\1'\n",
        "10: [unclosed",
    ],
)
def test_maps_that_go_would_refuse(text: str) -> None:
    with pytest.raises(InvalidPrioritiesError):
        parse_priorities(text)


def test_least_waste_prefers_the_fuller_node() -> None:
    assert pick([option(LARGE), option(SPOT)], "least-waste")[0] == {"cpuspot"}


def test_most_pods_prefers_the_group_that_helps_more() -> None:
    assert pick([option(LARGE, pods=3), option(SPOT)], "most-pods")[0] == {"large"}


def test_scale_set_names_are_as_aks_gives_them() -> None:
    assert parse_priorities("1:\n- ^aks-cpuspot-[0-9]{8}-vmss$\n")[1][0].search(scale_set_name(SPOT))

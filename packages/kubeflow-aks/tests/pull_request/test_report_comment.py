"""The comment: what stands above the fold, what is folded away, and what is left out where there is too much."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from kubeflow_aks.pull_request.observed import Change, Difference, Observed, Refusal, Run, Trial
from kubeflow_aks.pull_request.priced import priced
from kubeflow_aks.pull_request.report import MARKER, change_document, comment
from kubeflow_aks.pull_request.report.page import difference_lines
from kubeflow_aks.pull_request.violations import Judged
from kubeflow_aks.text.markdown import LONGEST
from tests.pull_request.observations import change, observed, pools, run, with_changes
from tests.pull_request.test_report_document import CHANGED, violation

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
NAMESPACE = "kubernetes:core/v1:Namespace"


def comment_on(observation: Observed, *head: Any, base: Sequence[Any] = ()) -> str:
    return comment([change_document(observation, Judged(base, head))])


def summaries(text: str) -> list[str]:
    return [line[9:-10] for line in text.splitlines() if line.startswith("<summary>")]


def many(number: int, letter: str = "x") -> Observed:
    return with_changes(
        *(
            change(
                "replace",
                NAMESPACE,
                f"{letter * 60}{i}",
                Difference("metadata.name", "update", f"{letter}{i}", "b"),
            )
            for i in range(number)
        )
    )


def test_the_comment_is_made_from_the_document_alone() -> None:
    document = change_document(CHANGED, Judged([violation("a")], [violation("b", mandatory=True)]))
    assert comment([json.loads(json.dumps(document))]) == comment([document])


def test_nothing_changed_is_one_line() -> None:
    assert comment_on(observed(run(), run())) == f"{MARKER}\nNothing changes in `demo`.\n"


def test_nothing_changed_tells_what_fails_the_preview_all_the_same() -> None:
    bad = violation("spot-taint", "urn::a", mandatory=True)
    text = comment_on(observed(run(), run()), bad, base=[bad])
    resources = len(run().resources)
    assert (
        f"| `demo` | nothing changes in its {resources} resources | – | – | – | 1 staying, 1 mandatory |"
        in text
    )
    assert "- mandatory: `spot-taint` at `a`: m" in text
    assert "Next: `./kubeflow-aks policy demo` after what is mandatory is mended." in text
    noted = replace(observed(run(), run()), notes=("Encrypted values were stood in for",))
    assert "Encrypted values were stood in for" in comment_on(noted)


def test_all_stacks_are_in_one_table_the_worst_first_and_the_quiet_in_one_line() -> None:
    renamed = [replace(observed(run(), run()), stack=name) for name in ("quiet", "calm")]
    broken = replace(observed(run(), Run(failure="no")), stack="broken")
    changed = replace(CHANGED, azure=Trial(tried=3, untried=("later",)))
    text = comment([change_document(it) for it in (changed, *renamed, broken)], missing=["lost"])
    rows = [line for line in text.partition("\n####")[0].splitlines() if line.startswith("| `")]
    assert [row.split("|")[1].strip() for row in rows] == ["`broken`", "`demo`"]
    assert rows[1].startswith("| `demo` | 1 replaced, 3 deleted, 4 updated, ")
    assert text.startswith(f"{MARKER}\n### Preview: 2 of 5 stacks change\n")
    assert "\nNothing changes in `calm`, `quiet`.\n" in text
    assert "\nNo result for `lost`: see the run.\n" in text
    assert text.count("Azure is simulated here") == 1
    assert "Tried there: 3 of 4 requests to Azure; the others stand under Notes." in text
    assert "Not tried on the simulated Azure, because" in text
    assert text.index("#### `broken`") < text.index("#### `demo`")
    assert "Next: `./kubeflow-aks preview broken` lists the mistakes" in text


def test_the_table_has_refusals_losses_and_the_bill() -> None:
    refusal = Refusal("urn", "a:b:AgentPool", "p", "PropertyChangeNotAllowed", "No.")
    of_cluster = Refusal("urn", "kubernetes:core/v1:Secret", "s", "AlreadyExists", "No.")
    refused = replace(CHANGED, azure=Trial((refusal, of_cluster)), refused=("cluster",))
    text = comment([change_document(refused, None, priced(refused))])
    [row] = [line for line in text.splitlines() if line.startswith("| `demo`")]
    _, _, _, by, lost, bill, policy, _ = row.split("|")
    assert by.strip() == "by Azure: 1, by the API server: 1, by protection"
    assert lost.strip().startswith("`cpuspot`")
    assert bill.strip().count("`$") == 2
    assert policy.strip() == "–"
    assert "Next: `./kubeflow-aks diff --stack demo` after what is refused is taken out." in text
    assert "Expected cost: " not in text


def test_a_change_that_concerns_nothing_that_runs_is_called_so() -> None:
    tags = comment_on(observed(run(), run(tags={"owner": "a", "environment": "b"})))
    assert "Nothing of this concerns running work, access or data, as page" in tags
    assert "Nothing of this concerns" not in comment_on(CHANGED)
    assert "Nothing of this concerns" not in comment_on(observed(None, run()))


def test_an_id_stands_in_full_once() -> None:
    arm_id = "/subscriptions/0/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/c"
    refusals = tuple(
        Refusal(f"urn{code}", "a:b:C", "c", code, f"Subnet '{arm_id}' is in use by {arm_id}.")
        for code in ("one", "two")
    )
    text = comment_on(with_changes(azure=Trial(refusals)))
    assert text.count(arm_id) == 1
    assert text.count("…/managedClusters/c") == 3


def test_above_the_folds_of_a_stack_stand_warnings_and_violations_in_this_order() -> None:
    observation = observed(
        run(), run(**pools(general={"vmSize": "Standard_D16s_v5"}, cpuspot={"osDisk": {"sizeGib": 99}}))
    )
    text = comment_on(observation, violation("new", "urn::a", "3 nodes", severity="high"))
    above = text.partition("<details")[0]
    places = [
        above.index(part)
        for part in (
            "| `demo` | 2 replaced",
            "#### `demo`: 2 replaced",
            "> [!CAUTION]\n> - Pool `general` is replaced",
            "> [!WARNING]\n> - Pool `cpuspot` is replaced",
            "- high: `new` at `a`: 3 nodes",
        )
    ]
    assert places == sorted(places)
    assert [title.partition(" (")[0] for title in summaries(text)] == [
        "What else it means", "vCPU quota", "Pools", "Policy", "Replaced", "Deleted", "Updated",
        "Warnings of the program", "Notes", "Properties",
    ]  # fmt: skip


def test_a_new_a_removed_and_a_broken_stack_have_forms_of_their_own() -> None:
    assert "#### `demo`: a new stack, " in comment_on(observed(None, run()))
    removed = comment_on(observed(run(), None))
    assert "#### `demo`: the stack file is removed" in removed
    assert "which deletes nothing" in removed
    failed = comment_on(
        observed(run(), Run(failure="pools: 1 is not allowed\n```\nprotect: 2 is not allowed"))
    )
    assert "#### `demo`: the program of this change does not run, so there is no preview" in failed
    assert (
        "```text\n  pools: 1 is not allowed\n  \\u{60}\\u{60}\\u{60}\n  protect: 2 is not allowed\n```\n"
        in failed
    )
    base = comment_on(observed(Run(failure="no __main__.py"), run()))
    assert "#### `demo`: the base does not run, so everything is shown as new: " in base
    assert "  no __main__.py\n" in base


def test_a_failure_of_a_million_lines_is_cut() -> None:
    text = comment_on(observed(run(), Run(failure="x\n" * 1_000_000)))
    assert "  … 999960 more lines\n" in text
    assert len(text) < 4000


@pytest.mark.parametrize(("number", "letter"), [(3000, "x"), (3000, "字"), (400, "x"), (20_000, "x")])
def test_sections_are_left_out_as_a_whole_and_named(number: int, letter: str) -> None:
    text = comment_on(many(number, letter))
    assert len(text.encode()) <= LONGEST
    assert text.count("<details") == text.count("</details>") == len(summaries(text))
    assert f"{number} replaced" in text
    left_out = text.rpartition("Left out, because a comment has an end: ")[2]
    for title in ("What else it means", "Replaced", "Properties"):
        shown = any(summary.startswith(title) for summary in summaries(text))
        assert shown != (title in left_out)
    assert "Properties" in left_out
    assert "Notes" in summaries(text)


def test_short_sections_stay_where_a_long_one_is_left_out() -> None:
    news = (change("create", CONFIG_MAP, f"{'x' * 60}{i}") for i in range(3000))
    text = comment_on(with_changes(*news, change("delete", CONFIG_MAP, "one")))
    assert "Deleted (1)" in summaries(text)
    assert text.rstrip().endswith("Left out, because a comment has an end: Created (3000).")


def test_what_is_warned_of_is_limited_above_the_fold_and_whole_below() -> None:
    text = comment_on(many(40))
    above, _, below = text.partition("<details")
    assert above.count("> - Namespace") == 15
    assert "> - and 25 more, below." in above
    assert below.count("- Namespace `") == 25


@pytest.mark.parametrize("letter", ["字", "\U0010ffff", "! ", "x"], ids=ascii)
def test_even_the_longest_texts_fit(letter: str) -> None:
    long = letter * 3000
    changes = tuple(change("replace", f"a:b:{long}{i}", long, forced_by=long) for i in range(500))
    changes = tuple(replace(one, simulated=False) for one in changes)
    outputs = {f"{long}{i}": long for i in range(200)}
    head = Run(
        outputs={**outputs, "vcpuQuota": {f"{long}{i}": i for i in range(1, 200)}}, warnings=(long,) * 500
    )
    observation = with_changes(*changes, head=head, notes=(long,) * 300, looks_replaced=(long,) * 500)
    bad = [violation(f"{long}{i}", long, long, mandatory=True) for i in range(500)]
    for one in (
        observation,
        replace(observation, base=Run(failure=f"{long}\n" * 5000)),
        replace(observation, head=Run(failure=f"{long}\n" * 500)),
    ):
        text = comment_on(one, *bad, base=bad)
        assert len(text.encode()) <= LONGEST


def test_resources_with_the_same_difference_share_it() -> None:
    tag = Difference("tags.owner", "update", "a", "b")
    observation = with_changes(*(change("update", CONFIG_MAP, name, tag) for name in ("one", "two")))
    text = comment_on(observation)
    assert "update `ConfigMap` `one`, `two`\n\n```diff\n- tags.owner: a\n+ tags.owner: b\n```\n" in text
    assert "- `ConfigMap` `one`\n- `ConfigMap` `two`\n" in text


def test_types_that_no_stand_in_knows_are_at_the_top() -> None:
    observation = with_changes(replace(change("create", "azure-native:new:Thing", "n"), simulated=False))
    assert (
        "Not simulated, shown from the plan: `azure-native:new:Thing`."
        in comment_on(observation).partition("<details")[0]
    )


def test_role_assignments_that_only_look_replaced_are_one_line() -> None:
    text = comment_on(replace(CHANGED, looks_replaced=("b", "a")))
    assert "Role assignments that only seem to be replaced, left out: `a`, `b`." in text


def test_there_is_no_line_of_cost_while_there_is_none() -> None:
    assert "expected cost" not in comment_on(CHANGED).lower()


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (1, 2, ["- p: 1", "+ p: 2"]),
        (None, "a", ["+ p: a"]),
        (True, None, ["- p: true"]),
        ("", "a", ["- p: ", "+ p: a"]),
        (["a"], ["a", "b"], ["  p:", "    [", '-    "a"', '+    "a",', '+    "b"', "    ]"]),
        ("a\nb\nc\nd\ne", "a\nb\nc\nd\nf", ["  p:", "    d", "-   e", "+   f"]),
        ("x\n" * 500, "y", ["  p: 501 → 1 lines, too many to compare"]),
        ("-- a\nb", "++ a\nb", ["  p:", "-   -- a", "+   ++ a", "    b"]),
        (f"/{'x' * 200}/cpu", f"/{'x' * 200}/gpu", ["- p: …cpu", "+ p: …gpu"]),
    ],
)
def test_a_property_is_shown_as_a_diff(before: Any, after: Any, lines: list[str]) -> None:
    assert difference_lines("p", before, after) == lines


def test_a_diff_has_an_end() -> None:
    old, new = "\n".join(f"a{i}" for i in range(300)), "\n".join(f"b{i}" for i in range(300))
    lines = difference_lines("p", old, new)
    assert len(lines) == 62
    assert lines[-1] == "  … 540 more lines"
    assert max(map(len, difference_lines("p", "x" * 9999, "y\n" + "z" * 9999))) <= 205


def test_a_value_nested_too_deep_is_named() -> None:
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    assert difference_lines("p", None, deep) == ["+ p: (nested too deeply to show)"]


def test_the_priority_map_and_the_contract_are_diffs_of_lines() -> None:
    head = run(**pools(cpuspot=None))
    text = comment_on(observed(run(**pools()), head))
    assert "  data.priorities:\n" in text
    assert "-     - ^aks-cpuspot-[0-9]+-vmss$\n" in text
    assert '-     "name": "cpuspot",\n' in text


def test_a_change_without_differences_has_no_diff() -> None:
    assert "Properties" not in summaries(comment_on(with_changes(Change("urn", CONFIG_MAP, "n", "create"))))

"""The rules as the real engine's analyzer: reported in a preview, in time on an up, and never on unknown values."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from collections.abc import Generator
from pathlib import Path

import psutil
import pytest

from kubeflow_aks.policy import RULES
from kubeflow_aks.policy.exceptions import FILE, load
from kubeflow_aks.policy.plan import everything
from kubeflow_aks.policy.results import reported, rule_results
from kubeflow_aks.project import PROJECT_ROOT
from kubeflow_aks.recorder.document import plan_document
from kubeflow_aks.recorder.run import record
from kubeflow_aks.tools import Tools
from tests.installed import empty, wheel
from tests.local.commands import PATIENCE_SECONDS
from tests.local.policy.policed import PACK, PROGRAM, Policed, policed
from tests.policy.violating_table import Case, cases

_CASES = cases()
_RULES = {rule.name: rule for rule in RULES}
_OF_ONE = [case for case in _CASES if _RULES[case.rule].per_resource]
_OF_ALL = [
    next(case for case in _CASES if case.rule == rule and case.expected)
    for rule in (
        "expander-covers-every-pool",
        "expander-tries-spot-first",
        "platform-has-one-home",
        "protection-is-whole",
        "spot-has-a-fallback",
    )
]
_GPU = next(case for case in _OF_ONE if case.rule == "gpu-pool-is-closed" and case.expected)
_ROW = (
    "[{rule: gpu-pool-is-closed, stacks: [te*], reason: a test, date: 2026-11-22, expiresOn: 2027-11-22, "
    "source: our choice}]"
)
_TOKEN = "eyJhbGciOiJub25l.eyJzdWIiOiJub2JvZHki.c2lnbmF0dXJl"  # noqa: S105 - nobody's


@pytest.fixture(scope="module")
def registering(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Generator[Policed]:
    """For previews alone, so that nothing exists for any test."""
    with policed(tmp_path_factory.mktemp("registering"), tools, PROGRAM, "test") as program:
        yield program


def _expected(case: Case) -> list[tuple[str, str, str, str]]:
    rule = _RULES[case.rule]
    level = "mandatory" if rule.mandatory else "advisory"
    return sorted(
        (level, rule.name, f"{case}.{name}", f"{rule.description} {message}")
        for name, message in case.expected
    )


@pytest.mark.parametrize("stack", ["demo", "prod"])
def test_a_stack_is_reported_what_its_recorded_plan_is_reported(
    tools: Tools, tmp_path: Path, stack: str
) -> None:
    plan = plan_document(record(stack, preview=True))
    expected = sorted(
        (
            "mandatory" if it.mandatory else "advisory",
            it.rule.name,
            it.urn.rpartition("::")[2],
            f"{it.rule.description} {it.message}",
        )
        for it in reported(rule_results(stack, everything(plan), load(PROJECT_ROOT, rules=_RULES)))
    )
    with policed(tmp_path / "run", tools, PROJECT_ROOT, stack) as program:
        judged = program.operate("preview")
    assert judged.violations == expected
    assert not judged.failed, judged.errors


def test_every_rule_about_one_resource_bites_and_spares_its_neighbours(registering: Policed) -> None:
    judged = registering.configured(cases=[str(case) for case in _OF_ONE]).operate("preview")
    assert judged.failed
    for case in _OF_ONE:
        diagnostics_of_rule = [
            it
            for it in judged.violations
            if it[1] == case.rule and it[2].startswith(f"{case}.") and "cannot be decided" not in it[3]
        ]
        assert diagnostics_of_rule == _expected(case), case


@pytest.mark.parametrize("case", _OF_ALL, ids=str)
def test_a_rule_about_the_whole_stack_bites(registering: Policed, case: Case) -> None:
    rule = _RULES[case.rule]
    expected = [
        it if case.expected[0][0] else (it[0], it[1], "registering-test", it[3]) for it in _expected(case)
    ]
    judged = registering.configured(cases=[str(case)]).operate(
        "preview", levels={"all": "disabled", rule.name: expected[0][0]}
    )
    assert judged.violations == expected
    assert judged.failed == rule.mandatory


def test_what_only_an_up_knows_is_advice_and_fails_no_preview(registering: Policed) -> None:
    unknown = next(
        case
        for case in _CASES
        if case.rule == "spot-is-marked" and "later" in {it.name for it in case.registered}
    )
    judged = registering.configured(cases=[str(unknown)]).operate(
        "preview", levels={"all": "disabled", "spot-is-marked": "mandatory"}
    )
    assert [(level, rule) for level, rule, _, _ in judged.violations] == [("advisory", "spot-is-marked")]
    assert judged.violations[0][3].endswith("cannot be decided: it depends on a value that is not known here")
    assert not judged.failed


def test_a_secret_among_the_outputs_is_reported(registering: Policed) -> None:
    judged = registering.configured(cases=[], token=_TOKEN).operate("preview")
    assert [(level, rule) for level, rule, _, _ in judged.violations] == [("mandatory", "no-secret-in-clear")]
    assert judged.violations[0][3].endswith("token has a bearer token in clear text")
    assert _TOKEN not in judged.violations[0][3]


def test_an_up_stops_before_the_resource_that_breaks_a_mandatory_rule(tools: Tools, tmp_path: Path) -> None:
    with policed(tmp_path / "run", tools, PROGRAM, "test", cases=[str(_GPU)]) as program:
        judged = program.operate("up")
        assert judged.failed
        assert f"{_GPU}.gpu" not in judged.state
        assert ("mandatory", "gpu-pool-is-closed") in [it[:2] for it in judged.violations]
        spared = program.operate("up", levels={"all": "disabled"})
    assert not spared.failed, spared.errors
    assert f"{_GPU}.gpu" in spared.state


def test_a_rule_can_be_advisory_or_turned_off_and_must_exist(registering: Policed) -> None:
    program = registering.configured(cases=[str(_GPU)])
    advice = program.operate("preview", levels={"all": "disabled", "gpu-pool-is-closed": "advisory"})
    off = program.operate("preview", levels={"all": "disabled"})
    wrong = program.operate("preview", levels={"gpu-pool-is-clsoed": "advisory"})
    assert [it[:2] for it in advice.violations] == [("advisory", "gpu-pool-is-closed")]
    assert not advice.failed
    assert (off.violations, off.failed) == ([], False)
    assert wrong.failed
    assert "gpu-pool-is-clsoed: no such rule; `./kubeflow-aks policy` lists all" in wrong.errors


def test_what_the_project_accepts_fails_nothing(tools: Tools, tmp_path: Path) -> None:
    project = tmp_path / "project of others"
    shutil.copytree(PROGRAM, project, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (project / "__main__.py").symlink_to(PROGRAM / "__main__.py")
    with policed(tmp_path / "run", tools, project, "test", cases=[str(_GPU)]) as program:
        levels = {"all": "disabled", "gpu-pool-is-closed": "mandatory"}
        refused = program.operate("preview", levels=levels)
        (project / FILE).write_text(_ROW)
        accepted = program.operate("preview", levels=levels)
        (project / FILE).write_text(_ROW.replace("rule:", "rules:"))
        broken = program.operate("preview", levels=levels)
    assert (refused.failed, accepted.failed, accepted.violations) == (True, False, [])
    assert broken.failed
    assert "policy-exceptions.yaml: [0].rules: 'gpu-pool-is-closed' is not allowed" in broken.errors


def test_the_installed_package_has_the_pack(registering: Policed, tmp_path: Path) -> None:
    """As docs/how-to/use-in-another-repository.md calls it."""
    environment = empty(tmp_path / "environment")
    environment.install(str(wheel(tmp_path)), cwd=tmp_path)
    pack = environment.program("kubeflow-aks-policy-pack")
    levels = {"all": "disabled", "gpu-pool-is-closed": "mandatory"}
    judged = registering.configured(cases=[str(_GPU)]).operate("preview", pack=pack, levels=levels)
    assert [it[:2] for it in judged.violations] == [("mandatory", "gpu-pool-is-closed")]
    assert judged.failed


def test_it_prints_its_port_alone_and_ends_with_an_interrupt(tmp_path: Path) -> None:
    with subprocess.Popen([PACK], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        port = int(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == ""
        assert process.wait(PATIENCE_SECONDS) == 0
    assert 0 < port < 2**16


def test_it_ends_when_the_engine_is_killed(tmp_path: Path) -> None:
    script = f"{PACK} >{tmp_path}/port & echo $!; wait"
    with subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, text=True) as engine:
        assert engine.stdout
        analyzer = int(engine.stdout.readline())
        _until(lambda: (tmp_path / "port").exists() and (tmp_path / "port").read_text().endswith("\n"))
        engine.kill()
        engine.wait()
        _until(lambda: not _runs(analyzer))


def _until(true: object) -> None:
    assert callable(true)
    end = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False

"""Keys and user names for SSH."""

import base64
from typing import Any

import pytest

from program.planning.rules.access import ssh_problems, ssh_warnings
from program.settings._model import ENCRYPTED
from tests.program.planning.small_stack import planned, settings


def key(kind: str, *fields: bytes, named: str | None = None) -> str:
    """A public key of one line; `named` where its first word should be another type than its content's."""
    blob = b"".join(len(field).to_bytes(4, "big") + field for field in (kind.encode(), *fields))
    return f"{named or kind} {base64.b64encode(blob).decode()} me@work"


def rsa(bits: int) -> str:
    modulus = (1 << (bits - 1)) | 1
    return key("ssh-rsa", b"\1\0\1", modulus.to_bytes(bits // 8 + 1, "big"))


ED25519 = key("ssh-ed25519", bytes(32))


def refusals(public_key: str, name: str = "azureuser") -> list[tuple[str, str]]:
    ssh = {"adminUsername": name, "publicKey": public_key}
    return [(problem.key, problem.expected) for problem in ssh_problems(settings(ssh=ssh))]


def test_a_stack_without_ssh_breaks_no_rule() -> None:
    assert list(ssh_problems(settings())) == []


@pytest.mark.parametrize(
    "public_key", [rsa(2048), rsa(3072), rsa(4096), ED25519, rsa(2048) + "\n", rsa(2048).rpartition(" ")[0]]
)
def test_rsa_keys_of_2048_bits_and_ed25519_keys_are_taken(public_key: str) -> None:
    assert refusals(public_key) == []


def test_a_short_rsa_key_is_refused_with_its_length() -> None:
    assert refusals(rsa(1024)) == [("ssh.publicKey", "an RSA key of at least 2048 bits; this one has 1024")]


@pytest.mark.parametrize(
    ("public_key", "words"),
    [
        ("", ".pub file"),
        ("ssh-rsa", ".pub file"),
        (key("ecdsa-sha2-nistp256", b"nistp256", bytes(65)), ".pub file"),
        (key("ssh-dss", bytes(128)), ".pub file"),
        (key("sk-ssh-ed25519@openssh.com", bytes(32)), ".pub file"),
        (f"no-pty {rsa(2048)}", ".pub file"),
        (f"{rsa(2048)}\n{rsa(2048)}", ".pub file"),
        ("ssh-rsa AAAA", "cut off or mistyped"),
        ("ssh-ed25519 AAAA", "cut off or mistyped"),
        ("ssh-rsa not base64", "cut off or mistyped"),
        (rsa(2048)[:200], "cut off or mistyped"),
        (key("ssh-rsa", b"\1\0\1"), "cut off or mistyped"),
        (key("ssh-ed25519", bytes(32), named="ssh-rsa"), "has ssh-rsa and holds ssh-ed25519"),
        (key("ssh-ed25519", bytes(16)), "Ed25519 key of 32 bytes"),
    ],
)
def test_any_other_key_is_refused(public_key: str, words: str) -> None:
    [(where, allowed)] = refusals(public_key)
    assert where == "ssh.publicKey"
    assert words in allowed


def test_a_private_key_is_not_repeated() -> None:
    private = (
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----"
    )
    [problem] = ssh_problems(settings(ssh={"publicKey": private}))
    assert "b3Blb" not in str(problem)


@pytest.mark.parametrize("name", ["azureuser", "ml", "Admin3", "administrators", "ckf_admin", "a" * 64])
def test_a_user_name_of_ones_own_is_taken(name: str) -> None:
    assert refusals(rsa(2048), name) == []


@pytest.mark.parametrize(
    "name", ["admin", "Admin", "root", "test2", "user5", "support_388945a0", "a", "b" * 65]
)
def test_a_user_name_that_azure_refuses(name: str) -> None:
    assert [where for where, _ in refusals(rsa(2048), name)] == ["ssh.adminUsername"]


def test_a_key_that_a_preview_cannot_decrypt_is_not_judged() -> None:
    assert planned(ssh={"publicKey": ENCRYPTED}).warnings == planned().warnings


def warned(public_key: str) -> list[Any]:
    return list(ssh_warnings(settings(ssh={"publicKey": public_key})))


def test_an_ed25519_key_is_warned_of() -> None:
    [warning] = warned(ED25519)
    assert warning == (
        "ssh.publicKey is an ssh-ed25519 key: AKS refused such keys as invalid (Azure/AKS#4431) and documents RSA keys "
        "only; an RSA key of 2048 bits or more is safe"
    )
    assert warned(rsa(2048)) == list(ssh_warnings(settings())) == []

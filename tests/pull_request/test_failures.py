"""What the engine says of what is protected (`pkg/resource/deploy/step.go` in pulumi/pulumi, `step_generator.go`)."""

import pytest

from pull_request.failures import protected

ONE, OTHER = "urn:pulumi:dev::p::a:b:C::one", "urn:pulumi:dev::p::a:b:C::other"
REPLACED = f'unable to replace resource "{ONE}"\nas it is currently marked for protection. To unprotect …'
DRAWN_IN = f'unable to replace resource "{ONE}" as part of replacing "{OTHER}" as it is currently marked for protection. …'
DELETED = f'Preview failed: resource "{ONE}" cannot be deleted\nbecause it is protected. To unprotect …'


@pytest.mark.parametrize("error", [REPLACED, DRAWN_IN, DELETED])
def test_what_is_protected_is_named(error: str) -> None:
    assert protected([error, "preview failed"]) == (ONE,)


def test_beside_another_error_it_is_not_the_reason() -> None:
    assert protected([DELETED, "error: something else"]) == ()

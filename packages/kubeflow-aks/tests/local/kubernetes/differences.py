"""In what the real provider that can be built, 4.25.0, differs from the simulated one, which answers as 4.32 does.

Each is a row of docs/facts/engine.md, too. A test that begins to pass fails until its row is gone.
"""

from typing import Final

DIFFERENCES: Final = {
    "test_a_created_object_belongs_to_the_provider_and_an_updated_one_to_its_resource": "before 4.29 a create applies",
    "test_a_token_of_an_absent_account_is_not_found": "before 4.32 the provider panics",
    "test_what_a_type_does_not_know_is_dropped_and_nulls_are_empty_text": "before 4.30 nulls are dropped",
}
"""Names of tests, and why the real provider fails them."""
RACES: Final = {
    "test_a_deployment_updated_to_pods_without_room_is_reported_ready": "the real provider waits or not, as it happens",
}
"""Names of tests that the real provider fails at times."""

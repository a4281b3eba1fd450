"""Create, update, read and delete one object as the real provider does.

Source: provider.go and await.go of pulumi-kubernetes. A create is a plain one since
pulumi/pulumi-kubernetes#4278, so that the API server itself refuses what exists; the rest is server-side apply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from google.protobuf import struct_pb2

from kubeflow_aks.clients.kubernetes.errors import ApiError, KubeError, NoSuchKindError
from kubeflow_aks.clients.kubernetes.objects import (
    DELETION_PROPAGATION,
    PATCH_FIELD_MANAGER,
    PATCH_FORCE,
    Kind,
    Object,
    annotation,
    at,
    clone,
    drop,
    identity,
    parse_resource_id,
    put,
    resource_id,
)
from kubeflow_aks.local_aks.kubernetes_provider import errors, ownership, versions
from kubeflow_aks.local_aks.kubernetes_provider.checking import CREATOR, field_manager
from kubeflow_aks.local_aks.kubernetes_provider.cluster import Cluster
from kubeflow_aks.local_aks.kubernetes_provider.errors import NotReadyError, PartialError, ProviderError
from kubeflow_aks.local_aks.kubernetes_provider.outputs import Checkpoint, with_secrets_of
from kubeflow_aks.local_aks.kubernetes_provider.pruning import normalized, pruned
from kubeflow_aks.local_aks.kubernetes_provider.waiting import Waiter, readiness_on_read
from kubeflow_aks.local_aks.protocol import wire

_PROPAGATION: Final = {"orphan": "Orphan", "background": "Background"}


@dataclass(frozen=True)
class EngineOperation:
    """One resource operation of the engine.

    Attributes:
        urn: the resource, for messages.
        patch: a `*Patch` resource.
        preview: nothing may change.
        timeout: `customTimeouts` in seconds, 0 for none.
        secrets_of: the request's raw properties, with their secret marks.
    """

    urn: str
    patch: bool
    preview: bool
    timeout: float
    secrets_of: struct_pb2.Struct


@dataclass(frozen=True)
class LiveResource:
    """An object as it was read: its Pulumi id, properties for the state, and inputs that would make it as it is."""

    id: str
    outputs: Object
    inputs: Object


@dataclass(frozen=True)
class Operations:
    """Operations on the objects of one cluster."""

    api: Cluster
    waiter: Waiter
    upsert: bool = False
    patch_force: bool = False

    def create(self, operation: EngineOperation, inputs: Object) -> tuple[str, Object] | None:
        """Create an object and wait until it is ready; a patch makes the object if it is not there.

        Returns:
            Its id (empty in a preview) and properties; None when a preview cannot know better than the inputs.

        Raises:
            PartialError: the object exists but is not ready.
            ProviderError: it was not created.
        """
        manager = annotation(inputs, PATCH_FIELD_MANAGER) or field_manager()
        if operation.preview:
            return self._preview_create(operation, inputs, manager)
        try:
            live = self.waiter.orderly(lambda: self._write_new(operation, inputs, manager))
        except NoSuchKindError as error:
            what = f'creation of resource "{operation.urn}" with kind {error.kind}'
            raise errors.unknown_kind(what, error) from error
        except KubeError as error:
            raise errors.create_refused(operation.urn, error) from error
        checkpoint = Checkpoint(inputs, live, inputs["apiVersion"], manager)
        try:
            checkpoint = replace(
                checkpoint, live=self.waiter.ready(self.api, live, inputs, operation.timeout)
            )
        except KubeError as error:
            raise self._created_not_live(operation, checkpoint, error) from error
        return resource_id(checkpoint.live), checkpoint.write(operation.secrets_of)

    def update(
        self, operation: EngineOperation, old: Checkpoint, inputs: Object, ignore: Sequence[str] = ()
    ) -> Object | None:
        """Update an object, which the state has as `old`, and wait until it is ready; `ignore` are `ignoreChanges`.

        Returns:
            Its properties; None when a preview cannot know better than the inputs.

        Raises:
            PartialError: the server refused the update, or the object did not become ready.
            ProviderError: the object is not there.
        """
        if operation.preview and (wire.has_unknown(inputs) or not self._served(inputs)):
            return None
        desired = normalized(inputs)
        manager = annotation(inputs, PATCH_FIELD_MANAGER) or old.field_manager
        checkpoint = Checkpoint(desired, old.live, old.initial_api_version, manager)
        try:
            before = self.api.get(identity(old.live))
            live = self._write_again(operation, before, desired, manager, ignore)
            if not operation.preview:
                live = self.waiter.ready(self.api, live, inputs, operation.timeout, updated=True)
                if old.field_manager and old.field_manager != manager:
                    self._give_up_fields(identity(live), old.field_manager)
        except NoSuchKindError as error:
            raise errors.unknown_kind(f'update of resource "{operation.urn}"', error) from error
        except KubeError as error:
            if operation.preview and isinstance(error, ApiError) and error.forbidden:
                return None
            raise self._update_failed(operation, checkpoint, error) from error
        return replace(checkpoint, live=live).write(operation.secrets_of)

    def read(
        self, operation: EngineOperation, id_: str, kind: Kind, state: Checkpoint, inputs: Object
    ) -> LiveResource | None:
        """Read the live object, for a refresh, an import or a `get`; None when it is gone.

        Args:
            operation: the engine's request; its `secrets_of` are the old inputs.
            id_: Pulumi id.
            kind: the kind the resource type stands for.
            state: the object in the engine's state; empty for an import.
            inputs: the old inputs; empty for an import.

        Raises:
            PartialError: it is there but not ready.
        """
        namespace, name = parse_resource_id(id_)
        desired = normalized(inputs) if inputs else {}
        source = desired if desired.get("kind") else state.live
        target: Object = {
            "apiVersion": source.get("apiVersion") or kind.api_version,
            "kind": source.get("kind") or kind.kind,
            "metadata": {"name": name, "namespace": namespace},
        }
        try:
            live = self.api.get(target)
        except (NoSuchKindError, ApiError) as error:
            if isinstance(error, ApiError) and not error.not_found:
                raise
            return None
        imported = not (desired or state.live)
        live_inputs = _inputs_of(live) if imported else pruned(live, desired or _inputs_of(state.live))
        manager = annotation(desired, PATCH_FIELD_MANAGER) or state.field_manager or field_manager()
        checkpoint = Checkpoint(live_inputs, live, state.initial_api_version or target["apiVersion"], manager)
        resource = LiveResource(
            id_, checkpoint.write(operation.secrets_of), with_secrets_of(live_inputs, operation.secrets_of)
        )
        reasons = () if imported else readiness_on_read(self.api, live, desired).reasons
        if reasons:
            message = f"Resource '{name}' was created but failed to initialize"
            raise PartialError(message, resource.id, resource.outputs, resource.inputs, [message, *reasons])
        return resource

    def delete(self, operation: EngineOperation, id_: str, old: Checkpoint) -> None:
        """Delete an object and wait until it is gone; a patch gives up its own fields only.

        A patch whose object is gone leaves an empty object, and fails where the namespace is gone too: the real
        provider applies an object without fields, which makes what is not there (docs/facts/engine.md).

        Raises:
            PartialError: it did not go in time.
            ProviderError: the server refused.
        """
        namespace, name = parse_resource_id(id_)
        source = old.inputs if old.inputs.get("kind") else old.live
        target = identity({**source, "metadata": {"name": name, "namespace": namespace}})
        try:
            if operation.patch:
                self._give_up_fields(target, old.field_manager)
                return
            policy = _PROPAGATION.get(annotation(old.inputs, DELETION_PROPAGATION).lower(), "Foreground")
            self.api.delete(target, policy)
            self.waiter.gone(self.api, target, old.inputs, operation.timeout)
        except NoSuchKindError:
            return
        except ApiError as error:
            if operation.patch or not error.not_found:
                raise
        except NotReadyError as error:
            outputs = replace(old, live=error.live).write(operation.secrets_of)
            raise PartialError(str(error), id_, outputs, reasons=[str(error)]) from error

    def _preview_create(
        self, operation: EngineOperation, inputs: Object, manager: str
    ) -> tuple[str, Object] | None:
        if operation.patch or wire.has_unknown(inputs) or not self._served(inputs):
            return None
        try:
            live = self._write_new(operation, inputs, manager)
        except ApiError as error:
            # A replacement's old object is still there in a preview, and a namespace of the same run is not yet.
            if error.forbidden or error.already_exists or error.namespace_missing:
                return None
            raise errors.create_refused(operation.urn, error) from error
        drop(live, "status")
        return "", Checkpoint(inputs, live, inputs["apiVersion"], manager).write(operation.secrets_of)

    def _write_new(self, operation: EngineOperation, inputs: Object, manager: str) -> Object:
        try:
            if not (operation.patch or self.upsert):
                return self.api.create(inputs, CREATOR, dry_run=operation.preview)
            force = self._forced(inputs) or operation.preview
            return self._apply(inputs, manager, force=force, dry_run=operation.preview)
        except NoSuchKindError as error:
            removed = versions.removal(error.kind, self.api)
            raise ProviderError(removed) if removed else error from None

    def _write_again(
        self, operation: EngineOperation, before: Object, desired: Object, manager: str, ignore: Sequence[str]
    ) -> Object:
        if Kind.of(desired).kind == "CustomResourceDefinition":
            desired = clone(desired)
            put(desired, at(before, "metadata", "resourceVersion"), "metadata", "resourceVersion")
            return self.api.replace(desired, manager, dry_run=operation.preview)
        if not (operation.preview or operation.patch) and (operations := ownership.takeover(before, manager)):
            before = self.api.patch(before, manager, operations)
        force = (
            self._forced(desired)
            or ownership.owned_by_nobody(before)
            or (operation.preview and ownership.created_by_pulumi(before))
        )
        desired = ownership.without_ignored(desired, before, manager, ignore)
        return self._apply(desired, manager, force=force, dry_run=operation.preview)

    def _apply(self, obj: Object, manager: str, *, force: bool, dry_run: bool) -> Object:
        try:
            return self.api.apply(obj, manager, force=force, dry_run=dry_run)
        except ApiError as error:
            if error.conflict:
                raise errors.field_conflict(manager, error) from error
            raise

    def _created_not_live(
        self, operation: EngineOperation, checkpoint: Checkpoint, error: KubeError
    ) -> PartialError:
        """The error of a created object that did not become ready; the engine keeps the object."""
        if isinstance(error, NotReadyError):
            checkpoint = replace(checkpoint, live=error.live)
        message = errors.created_not_live(operation.urn, error)
        outputs = checkpoint.write(operation.secrets_of)
        return PartialError(message, resource_id(checkpoint.live), outputs, reasons=_reasons(message, error))

    def _update_failed(
        self, operation: EngineOperation, checkpoint: Checkpoint, error: KubeError
    ) -> ProviderError:
        """The error of a failed update, with the object as it is now."""
        try:
            live = self.api.get(identity(checkpoint.live))
        except KubeError as unread:
            return ProviderError(
                f'update of resource "{operation.urn}" failed: {error}\nunable to get cluster state: {unread}'
            )
        message = errors.updated_not_live(resource_id(live), error)
        outputs = replace(checkpoint, live=live).write(operation.secrets_of)
        return PartialError(message, resource_id(live), outputs, reasons=_reasons(message, error))

    def _give_up_fields(self, target: Object, manager: str) -> None:
        """Apply an object without fields, so that the manager owns none; the fields of nobody else go."""
        try:
            self.api.apply(identity(target), manager, force=False)
        except ApiError as error:
            raise errors.required_field(error) if error.required else error from None

    def _forced(self, inputs: Object) -> bool:
        return annotation(inputs, PATCH_FORCE) == "true" or self.patch_force

    def _served(self, inputs: Object) -> bool:
        try:
            self.api.served(Kind.of(inputs))
        except NoSuchKindError:
            return False
        return True


def _reasons(message: str, error: KubeError) -> list[str]:
    return [message, *(error.reasons if isinstance(error, NotReadyError) else ())]


def _inputs_of(live: Object) -> Object:
    """Inputs with which a program would get the live object."""
    inputs = clone(live)
    for path in (
        ("status",),
        ("metadata", "annotations", "deployment.kubernetes.io/revision"),
        ("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"),
    ):
        drop(inputs, *path)
    return normalized(inputs)

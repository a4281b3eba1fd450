# Every variable but `revisions` has the name and type that it has in the module.

# What the hand-off writes into ckf.auto.tfvars.json. None has a default, so that nothing is deployed without that file: the
# module's own defaults are volumes of 10G and an ingress without its public name.

variable "risk" {
  type        = string
  description = "Risk of the charms' channels."

  validation {
    condition     = contains(["stable", "candidate", "beta", "edge"], var.risk)
    error_message = "risk: ${var.risk} is not allowed; expected stable, candidate, beta or edge."
  }
}

variable "create_model" {
  type        = bool
  description = "Whether the Juju model `kubeflow` is made here; false where it is there already."
}

variable "istio_ingressgateway_annotations" {
  type        = string
  description = "Annotations of the ingress's Service as `key=value`, separated by commas: its public address and name."

  validation {
    condition = alltrue([
      for each in split(",", var.istio_ingressgateway_annotations) : length(split("=", each)) == 2
    ]) || var.istio_ingressgateway_annotations == ""
    error_message = "istio_ingressgateway_annotations: expected key=value pairs, separated by commas."
  }
}

variable "istio_cni_bin_dir" {
  type        = string
  description = "Folder of the nodes' CNI programs; empty leaves Istio's CNI plug-in out."
}

variable "istio_cni_conf_dir" {
  type        = string
  description = "Folder of the nodes' CNI configuration; empty leaves Istio's CNI plug-in out."

  validation {
    condition     = (var.istio_cni_conf_dir == "") == (var.istio_cni_bin_dir == "")
    error_message = "istio_cni_bin_dir and istio_cni_conf_dir: expected both or neither; one alone installs no CNI plug-in."
  }
}

variable "kubeflow_profiles_security_policy" {
  type        = string
  description = "Pod Security Standard of the users' namespaces."

  validation {
    condition     = contains(["privileged", "baseline"], var.kubeflow_profiles_security_policy)
    error_message = "kubeflow_profiles_security_policy: ${var.kubeflow_profiles_security_policy} is not allowed; expected privileged or baseline."
  }

  validation {
    condition     = var.kubeflow_profiles_security_policy != "baseline" || var.istio_cni_bin_dir != ""
    error_message = "kubeflow_profiles_security_policy: baseline is not allowed without istio_cni_bin_dir; expected privileged: without the CNI plug-in Istio sets up each pod's network from inside, which baseline forbids."
  }
}

variable "kubeflow_dashboard_registration_flow" {
  type        = string
  description = "Whether a user who signs in for the first time makes a namespace of their own."

  validation {
    condition     = contains(["true", "false"], var.kubeflow_dashboard_registration_flow)
    error_message = "kubeflow_dashboard_registration_flow: ${var.kubeflow_dashboard_registration_flow} is not allowed; expected true or false."
  }
}

variable "jupyter_ui_config" {
  type        = map(string)
  description = "Options of the notebook form: where a notebook may run."
}

variable "minio_mode" {
  type        = string
  description = "Whether MinIO keeps artifacts itself (server) or takes them to another store (gateway)."

  validation {
    condition     = contains(["server", "gateway"], var.minio_mode)
    error_message = "minio_mode: ${var.minio_mode} is not allowed; expected server or gateway."
  }

  validation {
    condition     = var.minio_mode == "server" || alltrue([for part in [var.minio_gateway_storage_service, var.minio_access_key, var.minio_secret_key] : part != ""])
    error_message = "minio_mode: gateway is not allowed without minio_gateway_storage_service, TF_VAR_minio_access_key and TF_VAR_minio_secret_key, the login of the other store; expected all of them, or server."
  }
}

variable "minio_size" {
  type        = string
  description = "Volume of MinIO, which keeps every artifact of every pipeline."

  validation {
    condition     = can(regex("^[0-9]+([.][0-9]+)?[MGTPEZY](i?B)?$", var.minio_size))
    error_message = "minio_size: ${var.minio_size} is not allowed; expected a size as Juju writes it, such as 256G (not 256Gi)."
  }
}

variable "argo_controller_bucket" {
  type        = string
  description = "Bucket that Argo writes artifacts to."
}

variable "kfp_api_object_store_bucket_name" {
  type        = string
  description = "Bucket that Kubeflow Pipelines reads artifacts from."

  validation {
    condition     = var.kfp_api_object_store_bucket_name == var.argo_controller_bucket
    error_message = "kfp_api_object_store_bucket_name: ${var.kfp_api_object_store_bucket_name} is not allowed; expected ${var.argo_controller_bucket}, as argo_controller_bucket: Kubeflow Pipelines looks there for what Argo wrote."
  }
}

variable "kfp_db_size" {
  type        = string
  description = "Volume of the database of Kubeflow Pipelines."

  validation {
    condition     = can(regex("^[0-9]+([.][0-9]+)?[MGTPEZY](i?B)?$", var.kfp_db_size))
    error_message = "kfp_db_size: ${var.kfp_db_size} is not allowed; expected a size as Juju writes it, such as 32G (not 32Gi)."
  }
}

variable "katib_db_size" {
  type        = string
  description = "Volume of Katib's database."

  validation {
    condition     = can(regex("^[0-9]+([.][0-9]+)?[MGTPEZY](i?B)?$", var.katib_db_size))
    error_message = "katib_db_size: ${var.katib_db_size} is not allowed; expected a size as Juju writes it, such as 32G (not 32Gi)."
  }
}

variable "mlmd_size" {
  type        = string
  description = "Volume of ML Metadata, which knows what each pipeline's step read and wrote."

  validation {
    condition     = can(regex("^[0-9]+([.][0-9]+)?[MGTPEZY](i?B)?$", var.mlmd_size))
    error_message = "mlmd_size: ${var.mlmd_size} is not allowed; expected a size as Juju writes it, such as 32G (not 32Gi)."
  }
}

# The first user. Set them by TF_VAR_dex_static_username and TF_VAR_dex_static_password, so that they are in no file but the
# state.

variable "dex_static_username" {
  type        = string
  description = "Name of the first user; empty where users come from dex_connectors."
  sensitive   = true
  default     = ""
}

variable "dex_static_password" {
  type        = string
  description = "Password of the first user."
  sensitive   = true
  default     = ""

  validation {
    condition     = (var.dex_static_password == "") == (var.dex_static_username == "")
    error_message = "dex_static_username and dex_static_password: expected both or neither; set them by TF_VAR_dex_static_username and TF_VAR_dex_static_password."
  }
}

# What a team may want besides; the defaults are the module's.

variable "dex_connectors" {
  type        = string
  description = "Where other users come from, as YAML for Dex. Has secrets in it: set it by TF_VAR_dex_connectors. Dex's option issuer-url has to be set with `juju config` too."
  sensitive   = true
  default     = ""
}

variable "public_url" {
  type        = string
  description = "Deprecated by the charm dex-auth, which works with the module's default."
  default     = "http://dex-auth.kubeflow.svc:5556"
}

variable "istio_tls_secret_id" {
  type        = string
  description = "Juju's id of the secret with the ingress's TLS key and certificate."
  default     = ""
}

variable "http_proxy" {
  type        = string
  description = "Proxy of the charms for HTTP."
  default     = ""
}

variable "https_proxy" {
  type        = string
  description = "Proxy of the charms for HTTPS."
  default     = ""
}

variable "no_proxy" {
  type        = string
  description = "What the charms reach without the proxy."
  default     = ""
}

variable "kubeflow_trainer_v2" {
  type        = bool
  description = "Whether Kubeflow Trainer 2 is deployed beside the training operator; its charm is on the channel edge."
  default     = false
}

variable "minio_gateway_storage_service" {
  type        = string
  description = "Other store of MinIO's gateway: azure or s3; MinIO has removed its gateway upstream."
  default     = ""
}

variable "minio_storage_service_endpoint" {
  type        = string
  description = "Address of that store; empty takes the service's own."
  default     = ""
}

variable "minio_access_key" {
  type        = string
  description = "User of MinIO; of a gateway, the storage account's name: set it by TF_VAR_minio_access_key."
  sensitive   = true
  default     = "minio"
}

variable "minio_secret_key" {
  type        = string
  description = "Its password; of a gateway, the storage account's key: set it by TF_VAR_minio_secret_key."
  sensitive   = true
  default     = ""
}

variable "oidc_gatekeeper_ca_bundle" {
  type        = string
  description = "Certificate authority that the sign-in trusts, PEM."
  default     = ""
}

variable "cos_configuration" {
  type        = bool
  description = "Whether the charms' metrics, logs and dashboards go to a collector for Canonical's observability stack."
  default     = false
}

variable "existing_opentelemetry_collector_name" {
  type        = string
  description = "Application of a collector that is there already."
  default     = null
}

variable "opentelemetry_collector_k8s_size" {
  type        = string
  description = "Volume of the collector."
  default     = "10G"
}

variable "revisions" {
  type        = map(number)
  description = "Revision of each charm that is pinned, by its application's name; the others are what their channel has."
  default     = {}

  validation {
    condition     = length(setsubtract(keys(var.revisions), local.applications)) == 0
    error_message = "revisions: ${join(", ", setsubtract(keys(var.revisions), local.applications))} is not allowed; expected names of applications as `juju status` shows them: ${join(", ", local.applications)}."
  }
}

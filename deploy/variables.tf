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
  description = "Whether MinIO keeps artifacts itself."

  validation {
    condition     = var.minio_mode == "server"
    error_message = "minio_mode: ${var.minio_mode} is not allowed; expected server: the gateway to another store needs a login of that store, which is not passed on here."
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

variable "revisions" {
  type        = map(number)
  description = "Revision of each charm that is pinned, by its application's name; the others are what their channel has."
  default     = {}

  validation {
    condition     = length(setsubtract(keys(var.revisions), local.applications)) == 0
    error_message = "revisions: ${join(", ", setsubtract(keys(var.revisions), local.applications))} is not allowed; expected names of applications as `juju status` shows them: ${join(", ", local.applications)}."
  }
}

# Every variable has the name and type that it has in the module, but for dex_static_username, dex_static_password and
# dex_connectors, which go into dex_auth_config. The module's own rules hold as well.

# What the hand-off writes into ckf.auto.tfvars.json. None has a default, so that nothing is deployed without that file: the
# module's own defaults are charms from the channel edge, Istio's ambient mode and an S3 outside of the cluster.

variable "release" {
  type        = string
  description = "Release of Canonical's: 1.11, or latest."
}

variable "risk" {
  type        = string
  description = "Risk of the charms' channels."
}

variable "create_model" {
  type        = bool
  description = "Whether the Juju model `kubeflow` is made here; false where it is there already, which model_uuid names."
}

variable "service_mesh_type" {
  type        = string
  description = "How Istio gets into a pod: sidecar or ambient."
}

variable "auth_type" {
  type        = string
  description = "Who signs people in: dex, or iam, which needs the mesh ambient."
}

variable "istio_ingressgateway_config" {
  type        = map(string)
  description = "Options of the ingress, with the annotations of its Service: its public address and name."

  validation {
    condition = alltrue([
      for each in split(",", lookup(var.istio_ingressgateway_config, "annotations", "")) : each == "" || length(split("=", each)) == 2
    ])
    error_message = "istio_ingressgateway_config: annotations: expected key=value pairs, separated by commas."
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
    condition     = var.kubeflow_profiles_security_policy != "baseline" || var.service_mesh_type == "ambient" || var.istio_cni_bin_dir != ""
    error_message = "kubeflow_profiles_security_policy: baseline is not allowed without istio_cni_bin_dir; expected privileged: without the CNI plug-in Istio sets up each pod's network from inside, which baseline forbids."
  }
}

variable "kubeflow_dashboard_config" {
  type        = map(string)
  description = "Options of the dashboard: whether a user who signs in for the first time makes a namespace of their own."
}

variable "jupyter_ui_config" {
  type        = map(string)
  description = "Options of the notebook form: where a notebook may run."
}

variable "object_storage_mode" {
  type        = string
  description = "Where artifacts are: minio, in the cluster, or S3, outside."

  validation {
    condition     = var.object_storage_mode != "S3" || alltrue([for part in [var.s3_endpoint_global, var.s3_access_key_global, var.s3_secret_key_global] : part != ""])
    error_message = "object_storage_mode: S3 is not allowed without s3_endpoint_global, TF_VAR_s3_access_key_global and TF_VAR_s3_secret_key_global; expected all of them, or minio."
  }
}

variable "s3_bucket_global" {
  type        = string
  description = "Bucket that Argo writes artifacts to and Kubeflow Pipelines reads them from, in MinIO as well."

  validation {
    condition     = var.s3_bucket_global != ""
    error_message = "s3_bucket_global: expected a bucket's name; the charms' own differ from each other without it."
  }
}

variable "minio_config" {
  type        = map(string)
  description = "Options of MinIO, with its mode: server keeps artifacts itself, gateway takes them to another store."
}

variable "minio_storage_size" {
  type        = string
  description = "Volume of MinIO, which keeps every artifact of every pipeline."

  validation {
    condition     = can(regex("^[0-9]+([.][0-9]+)?[MGTPEZY](i?B)?$", var.minio_storage_size))
    error_message = "minio_storage_size: ${var.minio_storage_size} is not allowed; expected a size as Juju writes it, such as 256G (not 256Gi)."
  }
}

variable "mysql_storage_size" {
  type        = string
  description = "Volume of the database of Kubeflow Pipelines and Katib."

  validation {
    condition     = can(regex("^[0-9]+([.][0-9]+)?[MGTPEZY](i?B)?$", var.mysql_storage_size))
    error_message = "mysql_storage_size: ${var.mysql_storage_size} is not allowed; expected a size as Juju writes it, such as 32G (not 32Gi)."
  }
}

variable "mlmd_storage_size" {
  type        = string
  description = "Volume of ML Metadata, which knows what each pipeline's step read and wrote."

  validation {
    condition     = can(regex("^[0-9]+([.][0-9]+)?[MGTPEZY](i?B)?$", var.mlmd_storage_size))
    error_message = "mlmd_storage_size: ${var.mlmd_storage_size} is not allowed; expected a size as Juju writes it, such as 32G (not 32Gi)."
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

variable "dex_connectors" {
  type        = string
  description = "Where other users come from, as YAML for Dex. Has secrets in it: set it by TF_VAR_dex_connectors. Dex's option issuer-url has to be set in dex_auth_config too."
  sensitive   = true
  default     = ""
}

locals {
  dex_auth_config = merge(
    var.dex_auth_config,
    {
      for option, value in {
        static-username = var.dex_static_username
        static-password = var.dex_static_password
        connectors      = var.dex_connectors
      } : option => value if value != ""
    }
  )
}

# What the root refuses, and what it passes on. Nothing is deployed: plans only, and a provider that answers by itself.

mock_provider "juju" {}

variables {
  release                           = "1.11"
  risk                              = "stable"
  create_model                      = true
  service_mesh_type                 = "sidecar"
  auth_type                         = "dex"
  istio_ingressgateway_config       = { kind = "ingress", annotations = "service.beta.kubernetes.io/azure-dns-label-name=team-a" }
  istio_cni_bin_dir                 = "/opt/cni/bin"
  istio_cni_conf_dir                = "/etc/cni/net.d"
  kubeflow_profiles_security_policy = "baseline"
  kubeflow_dashboard_config         = { registration-flow = "true" }
  jupyter_ui_config                 = { tolerations-options-default = "" }
  object_storage_mode               = "minio"
  s3_bucket_global                  = "mlpipeline"
  minio_config                      = { mode = "server" }
  minio_storage_size                = "256G"
  mysql_storage_size                = "32G"
  mlmd_storage_size                 = "32G"
}

run "what_the_hand_off_writes" {
  command = plan

  assert {
    condition     = nonsensitive(local.dex_auth_config) == {}
    error_message = "There is a user whom nobody named."
  }
}

run "a_cluster_without_the_cni_plug_in" {
  command = plan
  variables {
    istio_cni_bin_dir                 = ""
    istio_cni_conf_dir                = ""
    kubeflow_profiles_security_policy = "privileged"
  }
}

run "baseline_with_the_ambient_mesh" {
  command = plan
  variables {
    service_mesh_type  = "ambient"
    istio_cni_bin_dir  = ""
    istio_cni_conf_dir = ""
  }
}

run "no_annotations_and_sizes_of_all_forms" {
  command = plan
  variables {
    istio_ingressgateway_config = { kind = "ingress" }
    minio_storage_size          = "1.5T"
    mysql_storage_size          = "64GB"
    mlmd_storage_size           = "64GiB"
  }
}

run "a_pinned_charm" {
  command = plan
  variables {
    minio_revision = 686
  }
}

run "a_first_user_and_an_issuer" {
  command = plan
  variables {
    dex_static_username = "someone@example.org"
    dex_static_password = "not-a-real-one"
    dex_auth_config     = { issuer-url = "https://kubeflow.example.org/dex" }
  }

  assert {
    condition = nonsensitive(local.dex_auth_config) == {
      issuer-url      = "https://kubeflow.example.org/dex"
      static-username = "someone@example.org"
      static-password = "not-a-real-one"
    }
    error_message = "An option of Dex is lost."
  }
}

run "an_s3_with_its_login" {
  command = plan
  variables {
    object_storage_mode  = "S3"
    s3_endpoint_global   = "https://s3.example.org"
    s3_access_key_global = "someone"
    s3_secret_key_global = "not-a-real-one"
  }
}

run "an_s3_without_its_login" {
  command = plan
  variables {
    object_storage_mode = "S3"
  }
  expect_failures = [var.object_storage_mode]
}

run "a_bucket_without_a_name" {
  command = plan
  variables {
    s3_bucket_global = ""
  }
  expect_failures = [var.s3_bucket_global]
}

run "an_annotation_without_a_value" {
  command = plan
  variables {
    istio_ingressgateway_config = { annotations = "service.beta.kubernetes.io/azure-load-balancer-internal" }
  }
  expect_failures = [var.istio_ingressgateway_config]
}

run "half_of_the_cni_plug_in" {
  command = plan
  variables {
    istio_cni_conf_dir = ""
  }
  expect_failures = [var.istio_cni_conf_dir]
}

run "baseline_without_the_cni_plug_in" {
  command = plan
  variables {
    istio_cni_bin_dir  = ""
    istio_cni_conf_dir = ""
  }
  expect_failures = [var.kubeflow_profiles_security_policy]
}

run "sizes_as_kubernetes_writes_them" {
  command = plan
  variables {
    minio_storage_size = "256Gi"
    mysql_storage_size = "32Gi"
    mlmd_storage_size  = "32Gi"
  }
  expect_failures = [var.minio_storage_size, var.mysql_storage_size, var.mlmd_storage_size]
}

run "a_user_without_a_password" {
  command = plan
  variables {
    dex_static_username = "someone@example.org"
  }
  expect_failures = [var.dex_static_password]
}

# What the root refuses, and what it passes on. Nothing is deployed: plans only, and a provider that answers by itself.

mock_provider "juju" {}

variables {
  risk                                 = "stable"
  create_model                         = true
  istio_ingressgateway_annotations     = "service.beta.kubernetes.io/azure-dns-label-name=team-a"
  istio_cni_bin_dir                    = "/opt/cni/bin"
  istio_cni_conf_dir                   = "/etc/cni/net.d"
  kubeflow_profiles_security_policy    = "baseline"
  kubeflow_dashboard_registration_flow = "true"
  jupyter_ui_config                    = { tolerations-options-default = "" }
  minio_mode                           = "server"
  minio_size                           = "256G"
  argo_controller_bucket               = "mlpipeline"
  kfp_api_object_store_bucket_name     = "mlpipeline"
  kfp_db_size                          = "32G"
  katib_db_size                        = "32G"
  mlmd_size                            = "32G"
}

run "what_the_hand_off_writes" {
  command = plan

  assert {
    condition     = alltrue([for revision in values(local.revisions) : revision == null])
    error_message = "A charm is pinned that nobody pinned."
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

run "no_annotations_and_sizes_of_all_forms" {
  command = plan
  variables {
    istio_ingressgateway_annotations = ""
    minio_size                       = "1.5T"
    kfp_db_size                      = "64GB"
    katib_db_size                    = "64GiB"
  }
}

run "a_pinned_charm" {
  command = plan
  variables {
    revisions = { minio = 686 }
  }

  assert {
    condition     = local.revisions["minio"] == 686 && local.revisions["mlmd"] == null
    error_message = "The pin does not reach its charm, or reaches another."
  }
}

run "a_first_user" {
  command = plan
  variables {
    dex_static_username = "someone@example.org"
    dex_static_password = "not-a-real-one"
  }
}

run "a_channel_that_is_none" {
  command = plan
  variables {
    risk = "production"
  }
  expect_failures = [var.risk]
}

run "an_annotation_without_a_value" {
  command = plan
  variables {
    istio_ingressgateway_annotations = "service.beta.kubernetes.io/azure-load-balancer-internal"
  }
  expect_failures = [var.istio_ingressgateway_annotations]
}

run "half_of_the_cni_plug_in" {
  command = plan
  variables {
    istio_cni_conf_dir = ""
  }
  expect_failures = [var.istio_cni_conf_dir]
}

run "a_policy_that_the_charm_does_not_know" {
  command = plan
  variables {
    kubeflow_profiles_security_policy = "restricted"
  }
  expect_failures = [var.kubeflow_profiles_security_policy]
}

run "baseline_without_the_cni_plug_in" {
  command = plan
  variables {
    istio_cni_bin_dir  = ""
    istio_cni_conf_dir = ""
  }
  expect_failures = [var.kubeflow_profiles_security_policy]
}

run "a_registration_that_is_neither_on_nor_off" {
  command = plan
  variables {
    kubeflow_dashboard_registration_flow = "yes"
  }
  expect_failures = [var.kubeflow_dashboard_registration_flow]
}

run "a_gateway_with_its_login" {
  command = plan
  variables {
    minio_mode                    = "gateway"
    minio_gateway_storage_service = "azure"
    minio_access_key              = "account"
    minio_secret_key              = "not-a-real-one"
  }
}

run "a_gateway_without_its_login" {
  command = plan
  variables {
    minio_mode                    = "gateway"
    minio_gateway_storage_service = "azure"
  }
  expect_failures = [var.minio_mode]
}

run "a_mode_that_minio_does_not_have" {
  command = plan
  variables {
    minio_mode = "cluster"
  }
  expect_failures = [var.minio_mode]
}

run "sizes_as_kubernetes_writes_them" {
  command = plan
  variables {
    minio_size    = "256Gi"
    kfp_db_size   = "32Gi"
    katib_db_size = "32Gi"
    mlmd_size     = "32Gi"
  }
  expect_failures = [var.minio_size, var.kfp_db_size, var.katib_db_size, var.mlmd_size]
}

run "two_buckets" {
  command = plan
  variables {
    kfp_api_object_store_bucket_name = "artifacts"
  }
  expect_failures = [var.kfp_api_object_store_bucket_name]
}

run "a_user_without_a_password" {
  command = plan
  variables {
    dex_static_username = "someone@example.org"
  }
  expect_failures = [var.dex_static_password]
}

run "a_pin_of_a_charm_that_is_not_deployed" {
  command = plan
  variables {
    revisions = { mini-o = 686 }
  }
  expect_failures = [var.revisions]
}

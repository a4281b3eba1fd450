# Canonical's module, by the commit that docs/facts/charmed-kubeflow.md was read at; a branch of it would move.
module "kubeflow" {
  source = "git::https://github.com/canonical/charmed-kubeflow-solutions//modules/kubeflow?ref=5f8847846509bb71d9e020489b019264d7e364f9"

  risk                                 = var.risk
  create_model                         = var.create_model
  istio_ingressgateway_annotations     = var.istio_ingressgateway_annotations
  istio_cni_bin_dir                    = var.istio_cni_bin_dir
  istio_cni_conf_dir                   = var.istio_cni_conf_dir
  kubeflow_profiles_security_policy    = var.kubeflow_profiles_security_policy
  kubeflow_dashboard_registration_flow = var.kubeflow_dashboard_registration_flow
  jupyter_ui_config                    = var.jupyter_ui_config
  minio_mode                           = var.minio_mode
  minio_size                           = var.minio_size
  argo_controller_bucket               = var.argo_controller_bucket
  kfp_api_object_store_bucket_name     = var.kfp_api_object_store_bucket_name
  kfp_db_size                          = var.kfp_db_size
  katib_db_size                        = var.katib_db_size
  mlmd_size                            = var.mlmd_size
  dex_static_username                  = var.dex_static_username
  dex_static_password                  = var.dex_static_password
  dex_connectors                       = var.dex_connectors
  public_url                           = var.public_url
  istio_tls_secret_id                  = var.istio_tls_secret_id
  http_proxy                           = var.http_proxy
  https_proxy                          = var.https_proxy
  no_proxy                             = var.no_proxy
  kubeflow_trainer_v2                  = var.kubeflow_trainer_v2

  minio_gateway_storage_service         = var.minio_gateway_storage_service
  minio_storage_service_endpoint        = var.minio_storage_service_endpoint
  minio_access_key                      = var.minio_access_key
  minio_secret_key                      = var.minio_secret_key
  oidc_gatekeeper_ca_bundle             = var.oidc_gatekeeper_ca_bundle
  cos_configuration                     = var.cos_configuration
  existing_opentelemetry_collector_name = var.existing_opentelemetry_collector_name
  opentelemetry_collector_k8s_size      = var.opentelemetry_collector_k8s_size

  admission_webhook_revision           = local.revisions["admission-webhook"]
  argo_controller_revision             = local.revisions["argo-controller"]
  dex_auth_revision                    = local.revisions["dex-auth"]
  envoy_revision                       = local.revisions["envoy"]
  istio_ingressgateway_revision        = local.revisions["istio-ingressgateway"]
  istio_pilot_revision                 = local.revisions["istio-pilot"]
  jupyter_controller_revision          = local.revisions["jupyter-controller"]
  jupyter_ui_revision                  = local.revisions["jupyter-ui"]
  katib_controller_revision            = local.revisions["katib-controller"]
  katib_db_manager_revision            = local.revisions["katib-db-manager"]
  katib_db_revision                    = local.revisions["katib-db"]
  katib_ui_revision                    = local.revisions["katib-ui"]
  kfp_api_revision                     = local.revisions["kfp-api"]
  kfp_db_revision                      = local.revisions["kfp-db"]
  kfp_metadata_writer_revision         = local.revisions["kfp-metadata-writer"]
  kfp_persistence_revision             = local.revisions["kfp-persistence"]
  kfp_profile_controller_revision      = local.revisions["kfp-profile-controller"]
  kfp_schedwf_revision                 = local.revisions["kfp-schedwf"]
  kfp_ui_revision                      = local.revisions["kfp-ui"]
  kfp_viewer_revision                  = local.revisions["kfp-viewer"]
  kfp_viz_revision                     = local.revisions["kfp-viz"]
  knative_eventing_revision            = local.revisions["knative-eventing"]
  knative_operator_revision            = local.revisions["knative-operator"]
  knative_serving_revision             = local.revisions["knative-serving"]
  kserve_controller_revision           = local.revisions["kserve-controller"]
  kubeflow_dashboard_revision          = local.revisions["kubeflow-dashboard"]
  kubeflow_profiles_revision           = local.revisions["kubeflow-profiles"]
  kubeflow_roles_revision              = local.revisions["kubeflow-roles"]
  kubeflow_trainer_revision            = local.revisions["kubeflow-trainer"]
  kubeflow_volumes_revision            = local.revisions["kubeflow-volumes"]
  metacontroller_operator_revision     = local.revisions["metacontroller-operator"]
  minio_revision                       = local.revisions["minio"]
  mlmd_revision                        = local.revisions["mlmd"]
  oidc_gatekeeper_revision             = local.revisions["oidc-gatekeeper"]
  opentelemetry_collector_k8s_revision = local.revisions["opentelemetry-collector-k8s"]
  pvcviewer_operator_revision          = local.revisions["pvcviewer-operator"]
  tensorboard_controller_revision      = local.revisions["tensorboard-controller"]
  tensorboards_web_app_revision        = local.revisions["tensorboards-web-app"]
  training_operator_revision           = local.revisions["training-operator"]
}

locals {
  applications = [
    "admission-webhook",
    "argo-controller",
    "dex-auth",
    "envoy",
    "istio-ingressgateway",
    "istio-pilot",
    "jupyter-controller",
    "jupyter-ui",
    "katib-controller",
    "katib-db-manager",
    "katib-db",
    "katib-ui",
    "kfp-api",
    "kfp-db",
    "kfp-metadata-writer",
    "kfp-persistence",
    "kfp-profile-controller",
    "kfp-schedwf",
    "kfp-ui",
    "kfp-viewer",
    "kfp-viz",
    "knative-eventing",
    "knative-operator",
    "knative-serving",
    "kserve-controller",
    "kubeflow-dashboard",
    "kubeflow-profiles",
    "kubeflow-roles",
    "kubeflow-trainer",
    "kubeflow-volumes",
    "metacontroller-operator",
    "minio",
    "mlmd",
    "oidc-gatekeeper",
    "opentelemetry-collector-k8s",
    "pvcviewer-operator",
    "tensorboard-controller",
    "tensorboards-web-app",
    "training-operator",
  ]

  # Null is the module's own default: the revision that the channel has.
  revisions = { for name in local.applications : name => lookup(var.revisions, name, null) }
}

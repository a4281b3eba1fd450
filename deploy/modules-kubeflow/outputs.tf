output "model" {
  description = "Juju model that Charmed Kubeflow is in."
  value       = module.kubeflow.model
}

output "ingress_provider" {
  description = "Application and endpoint that other charms get an ingress from."
  value       = module.kubeflow.ingress_provider
}

output "tls_certificate_requirer" {
  description = "Application and endpoint to relate a provider of TLS certificates to."
  value       = module.kubeflow.tls_certificate_requirer
}

output "dashboard_links_provider" {
  description = "Application and endpoint that takes links for the dashboard's menu."
  value       = module.kubeflow.dashboard_links_provider
}

output "kserve_controller" {
  description = "Application and endpoints of KServe."
  value       = module.kubeflow.kserve_controller
}

// A cluster with two pools: one that hosts Charmed Kubeflow, and spot machines for batch work.
import * as kubeflow from "@ckf/kubeflow-aks";
import * as containerregistry from "@pulumi/azure-native/containerregistry";
import * as operationalinsights from "@pulumi/azure-native/operationalinsights";
import * as resources from "@pulumi/azure-native/resources";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const location = config.require("location");
const group = new resources.ResourceGroup("team", { location });
const tags = { owner: "vision", group: group.name };

const network = new kubeflow.Network("team", { resourceGroupName: group.name, location, tags });
const cluster = new kubeflow.AksCluster("team", {
  resourceGroupName: group.name,
  resourceGroupId: group.id,
  location,
  tags,
  kubernetes: { version: pulumi.output("1.34"), tier: kubeflow.Tier.Premium },
  apiAccess: { adminGroupObjectIds: [config.requireSecret("adminGroup")] },
  ssh: { publicKey: config.requireSecret("sshPublicKey") },
  systemPool: { minCount: 1, subnetId: network.subnetIds.apply((ids) => ids["system"]) },
});
const pools = new kubeflow.AgentPools(
  "team",
  {
    resourceGroupName: group.name,
    cluster: cluster.managedCluster,
    tags,
    pools: [
      {
        name: "platform",
        vmSize: "Standard_D8s_v5",
        minCount: 2,
        maxCount: 3,
        labels: { "kubeflow-aks/workload": "platform" },
        subnetId: network.subnetIds.apply((ids) => ids["general"]),
      },
      {
        name: "batch",
        vmSize: "Standard_D8ds_v5",
        maxCount: 10,
        priority: "Spot",
        evictionPolicy: "Delete",
        subnetId: network.subnetIds.apply((ids) => ids["cpu"]),
      },
    ],
  },
  { deletedWith: cluster }, // only because this program makes it
);

const registry = new containerregistry.Registry("team", {
  resourceGroupName: group.name,
  sku: { name: "Standard" },
});
new kubeflow.ContainerRegistry("team", {
  resourceGroupName: group.name,
  location,
  pullerObjectId: cluster.kubeletObjectId,
  attach: registry.id,
});
const workspace = new operationalinsights.Workspace("team", { resourceGroupName: group.name });
new kubeflow.Monitoring("team", {
  resourceGroupName: group.name,
  location,
  clusterId: cluster.clusterId,
  workspace: workspace.id,
  logs: ["kube-audit-admin", "guard"],
});

export const name = cluster.name;
export const poolNames = pools.names;
export const kubeconfig = cluster.kubeconfig;

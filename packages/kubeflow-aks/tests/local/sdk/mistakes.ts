// Each of these lines is a mistake that TypeScript finds.
import * as kubeflow from "@ckf/kubeflow-aks";

const pool = { name: "batch", vmSize: "Standard_D8ds_v5", maxCount: 10 };
new kubeflow.AgentPools("typo", { resourceGroupName: "team", cluster: undefined!, pools: [{ ...pool, priority: "Sport" }] });
new kubeflow.AgentPools("missing", { resourceGroupName: "team", cluster: undefined! });
new kubeflow.AksCluster("key", { resourceGroupName: "team", resourceGroupId: "team", location: "westeurope", system_pool: {} });

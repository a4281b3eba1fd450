// The store of metrics, as Katib's database manager serves it. No container runs here that could report any.
package main

import (
	"context"
	"fmt"
	"time"

	trials "github.com/kubeflow/katib/pkg/apis/controller/trials/v1beta1"
	"github.com/kubeflow/katib/pkg/apis/manager/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type observations struct {
	api_v1_beta1.UnimplementedDBManagerServer
	cluster client.Client
}

// GetObservationLog measures the training y = x: a trial's metric is the value of its first parameter.
func (o *observations) GetObservationLog(
	ctx context.Context, request *api_v1_beta1.GetObservationLogRequest,
) (*api_v1_beta1.GetObservationLogReply, error) {
	var all trials.TrialList
	if err := o.cluster.List(ctx, &all); err != nil {
		return nil, err
	}
	for _, trial := range all.Items {
		if trial.Name == request.TrialName {
			metric := &api_v1_beta1.Metric{Name: request.MetricName, Value: trial.Spec.ParameterAssignments[0].Value}
			entry := &api_v1_beta1.MetricLog{TimeStamp: time.Now().UTC().Format(time.RFC3339), Metric: metric}
			observed := &api_v1_beta1.ObservationLog{MetricLogs: []*api_v1_beta1.MetricLog{entry}}
			return &api_v1_beta1.GetObservationLogReply{ObservationLog: observed}, nil
		}
	}
	return nil, fmt.Errorf("no trial %s", request.TrialName)
}

// DeleteObservationLog has nothing to forget.
func (o *observations) DeleteObservationLog(
	context.Context, *api_v1_beta1.DeleteObservationLogRequest,
) (*api_v1_beta1.DeleteObservationLogReply, error) {
	return &api_v1_beta1.DeleteObservationLogReply{}, nil
}

// What Kubeflow Trainer makes of TrainJobs, and JobSet of JobSets: their own webhooks and Trainer's runtime framework, on
// objects from standard input.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	configapi "github.com/kubeflow/trainer/v2/pkg/apis/config/v1alpha1"
	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/kubeflow/trainer/v2/pkg/runtime/core"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	coscheduling "sigs.k8s.io/scheduler-plugins/apis/scheduling/v1alpha1"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

type given struct {
	Runtimes []trainer.ClusterTrainingRuntime `json:"runtimes"`
	Jobs     []trainer.TrainJob               `json:"jobs"`
	JobSets  []json.RawMessage                `json:"jobSets"`
}

type made struct {
	Job     string   `json:"job"`
	Refused []string `json:"refused"`
	Objects []any    `json:"objects"`
}

type unindexed struct{}

func (unindexed) IndexField(context.Context, client.Object, string, client.IndexerFunc) error {
	return nil
}

func run(ctx context.Context) error {
	var found given
	if err := json.NewDecoder(os.Stdin).Decode(&found); err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, trainer.AddToScheme, jobset.AddToScheme, coscheduling.AddToScheme, volcano.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	cluster := fake.NewClientBuilder().WithScheme(scheme)
	for each := range found.Runtimes {
		cluster = cluster.WithObjects(&found.Runtimes[each])
	}
	runtimes, err := core.New(ctx, cluster.Build(), unindexed{}, &configapi.Configuration{})
	if err != nil {
		return err
	}
	of := runtimes[core.ClusterTrainingRuntimeGroupKind]
	answers := []made{}
	for number := range found.Jobs {
		job := &found.Jobs[number]
		answer := made{Job: job.Name}
		_, refused := of.ValidateObjects(ctx, nil, job)
		for _, each := range refused {
			answer.Refused = append(answer.Refused, each.Error())
		}
		objects, err := of.NewObjects(ctx, job)
		if err != nil {
			answer.Refused = append(answer.Refused, err.Error())
		}
		for _, each := range objects {
			answer.Objects = append(answer.Objects, each)
		}
		answers = append(answers, answer)
	}
	ofJobSets, err := jobSets(found.JobSets)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(append(answers, ofJobSets...))
}

func jobSets(objects []json.RawMessage) ([]made, error) {
	hooks, err := webhookHandlers()
	if err != nil {
		return nil, err
	}
	answers := []made{}
	for _, object := range objects {
		var named metav1.PartialObjectMetadata
		if err := json.Unmarshal(object, &named); err != nil {
			return nil, err
		}
		defaulted, refused, err := admitted(hooks, object)
		if err != nil {
			return nil, err
		}
		answer := made{Job: named.Name}
		if refused != "" {
			answer.Refused = []string{refused}
		} else {
			answer.Objects = []any{defaulted}
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

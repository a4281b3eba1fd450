// Kueue's controllers, scheduler and webhooks, for Jobs. Its own program needs certificates in /etc, serves more than webhooks on
// every network interface, and takes nearly twice as long to build.
package main

import (
	"context"
	"flag"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	configapi "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/cache/queue"
	cache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/config"
	"sigs.k8s.io/kueue/pkg/constants"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	_ "sigs.k8s.io/kueue/pkg/controller/jobs/job"
	"sigs.k8s.io/kueue/pkg/scheduler"
	preemption "sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
	"sigs.k8s.io/kueue/pkg/util/kubeversion"
	"sigs.k8s.io/kueue/pkg/webhooks"
)

func run(ctx context.Context, configFile string) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, configapi.AddToScheme, kueue.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	if err := jobframework.ForEachIntegration(func(_ string, kind jobframework.IntegrationCallbacks) error {
		if kind.AddToScheme == nil {
			return nil
		}
		return kind.AddToScheme(scheme)
	}); err != nil {
		return err
	}
	options, settings, err := config.Load(scheme, configFile)
	if err != nil {
		return err
	}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(settings.FeatureGates); err != nil {
		return err
	}
	config.AddWebhookSettingsTo(&options, &settings)
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), options)
	if err != nil {
		return err
	}
	if err := setUp(ctx, manager, &settings); err != nil {
		return err
	}
	return manager.Start(ctx)
}

func setUp(ctx context.Context, manager ctrl.Manager, settings *configapi.Configuration) error {
	client := manager.GetClient()
	requeuer := queue.NewRequeuer()
	if err := manager.Add(requeuer); err != nil {
		return err
	}
	patience := settings.WaitForPodsReady
	quotas := cache.New(client, cache.WithPodsReadyTracking(patience != nil && *patience.BlockAdmission))
	preempted := preemption.New()
	queues := queue.NewManager(client, quotas, requeuer, queue.WithPreemptionExpectations(preempted))
	enabled := jobframework.WithEnabledFrameworks(settings.Integrations.Frameworks)
	if err := indexer.Setup(ctx, manager.GetFieldIndexer()); err != nil {
		return err
	}
	if err := jobframework.SetupIndexes(ctx, manager.GetFieldIndexer(), enabled); err != nil {
		return err
	}
	if _, err := core.SetupControllers(manager, queues, quotas, settings, nil, preempted, nil); err != nil {
		return err
	}
	discoverer, err := discovery.NewDiscoveryClientForConfig(manager.GetConfig())
	if err != nil {
		return err
	}
	version := kubeversion.NewServerVersionFetcher(discoverer)
	if err := version.FetchServerVersion(); err != nil {
		return err
	}
	if err := jobframework.SetupControllers(
		ctx, manager, ctrl.Log, enabled,
		jobframework.WithKubeServerVersion(version),
		jobframework.WithManagerName(constants.KueueName),
		jobframework.WithWaitForPodsReady(settings.WaitForPodsReady),
		jobframework.WithCache(quotas),
		jobframework.WithQueues(queues),
	); err != nil {
		return err
	}
	if _, err := webhooks.Setup(manager, nil); err != nil {
		return err
	}
	go queues.CleanUpOnContext(ctx)
	go quotas.CleanUpOnContext(ctx)
	recorder := manager.GetEventRecorderFor(constants.AdmissionName)
	return manager.Add(scheduler.New(queues, quotas, client, recorder, scheduler.WithPreemptionExpectations(preempted)))
}

func main() {
	configFile := flag.String("config", "", "file with Kueue's configuration")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(ctrl.SetupSignalHandler(), *configFile); err != nil {
		ctrl.Log.Error(err, "kueue ended")
		os.Exit(1)
	}
}

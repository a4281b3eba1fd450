// Katib's controllers and webhooks, which its own program serves on every network interface; here on 127.0.0.1 alone. In the
// same process, in place of pods: Katib's Goptuna, which suggests for every experiment, and a store of metrics.
package main

import (
	"flag"
	"net"
	"os"

	configapi "github.com/kubeflow/katib/pkg/apis/config/v1beta1"
	katibapis "github.com/kubeflow/katib/pkg/apis/controller"
	"github.com/kubeflow/katib/pkg/apis/manager/v1beta1"
	controller "github.com/kubeflow/katib/pkg/controller.v1beta1"
	"github.com/kubeflow/katib/pkg/controller.v1beta1/consts"
	goptuna "github.com/kubeflow/katib/pkg/suggestion/v1beta1/goptuna"
	"github.com/kubeflow/katib/pkg/util/v1beta1/katibconfig"
	webhooks "github.com/kubeflow/katib/pkg/webhook/v1beta1"
	"github.com/spf13/viper"
	"google.golang.org/grpc"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

const localhost = "127.0.0.1"

func run(configFile, certificates string) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, configapi.AddToScheme, katibapis.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	read, err := katibconfig.GetInitConfigData(scheme, configFile)
	if err != nil {
		return err
	}
	config := read.ControllerConfig
	trials, err := katibconfig.TrialResourcesToGVKs(config.TrialResources)
	if err != nil {
		return err
	}
	viper.Set(consts.ConfigExperimentSuggestionName, config.ExperimentSuggestionName)
	viper.Set(consts.ConfigInjectSecurityContext, config.InjectSecurityContext)
	viper.Set(consts.ConfigEnableGRPCProbeInSuggestion, config.EnableGRPCProbeInSuggestion)
	viper.Set(consts.ConfigTrialResources, trials)
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                 scheme,
		Metrics:                metrics.Options{BindAddress: config.MetricsAddr},
		HealthProbeBindAddress: config.HealthzAddr,
	})
	if err != nil {
		return err
	}
	hooks := webhook.NewServer(webhook.Options{Host: localhost, Port: *config.WebhookPort, CertDir: certificates})
	if err := controller.AddToManager(manager); err != nil {
		return err
	}
	if err := webhooks.AddToManager(manager, hooks); err != nil {
		return err
	}
	if err := serve(manager.GetClient()); err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

// Starts what Katib finds by the names of its Services, which are names of this address here.
func serve(cluster client.Client) error {
	listener, err := net.Listen("tcp", localhost+":0")
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	api_v1_beta1.RegisterSuggestionServer(server, goptuna.NewSuggestionService())
	api_v1_beta1.RegisterDBManagerServer(server, &observations{cluster: cluster})
	names := manual.NewBuilderWithScheme("local")
	names.InitialState(resolver.State{Addresses: []resolver.Address{{Addr: listener.Addr().String()}}})
	resolver.Register(names)
	resolver.SetDefaultScheme(names.Scheme())
	go func() {
		if err := server.Serve(listener); err != nil {
			ctrl.Log.Error(err, "services ended")
			os.Exit(1)
		}
	}()
	return nil
}

func main() {
	configFile := flag.String("katib-config", "", "file with Katib's configuration")
	certificates := flag.String("certificates", "", "folder of the webhooks' tls.crt and tls.key")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(*configFile, *certificates); err != nil {
		ctrl.Log.Error(err, "katib-controller ended")
		os.Exit(1)
	}
}

// JobSet's own webhook: its defaults and its checks.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	jsonpatch "github.com/evanphx/json-patch/v5"
	admission "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	"sigs.k8s.io/jobset/pkg/webhooks"
)

const webhookPath = "-jobset-x-k8s-io-v1alpha2-jobset"

// Nothing listens, and there is no API server.
func webhookHandlers() (http.Handler, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	if err := jobset.AddToScheme(scheme); err != nil {
		return nil, err
	}
	server := webhook.NewServer(webhook.Options{})
	manager, err := ctrl.NewManager(&rest.Config{Host: "http://127.0.0.1:1"}, ctrl.Options{
		Scheme:        scheme,
		Metrics:       metrics.Options{BindAddress: "0"},
		WebhookServer: server,
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) {
			return meta.NewDefaultRESTMapper(nil), nil
		},
	})
	if err != nil {
		return nil, err
	}
	err = webhooks.Setup(manager) // makes the multiplexer
	return server.WebhookMux(), err
}

func review(hooks http.Handler, path string, object []byte) (*admission.AdmissionResponse, error) {
	request := admission.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: admission.SchemeGroupVersion.String(), Kind: "AdmissionReview"},
		Request: &admission.AdmissionRequest{
			UID:       "1",
			Operation: admission.Create,
			Kind:      metav1.GroupVersionKind(jobset.GroupVersion.WithKind("JobSet")),
			Resource:  metav1.GroupVersionResource(jobset.GroupVersion.WithResource("jobsets")),
			Object:    runtime.RawExtension{Raw: object},
		},
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	post := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
	post.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	hooks.ServeHTTP(recorder, post)
	var response admission.AdmissionReview
	if err := json.Unmarshal(recorder.Body.Bytes(), &response); err != nil || response.Response == nil {
		return nil, fmt.Errorf("%s: %s", path, recorder.Body.String())
	}
	return response.Response, nil
}

// The object with its defaults, or why it is refused.
func admitted(hooks http.Handler, object []byte) (json.RawMessage, string, error) {
	made, err := review(hooks, "/mutate"+webhookPath, object)
	if err != nil {
		return nil, "", err
	}
	if !made.Allowed {
		return nil, made.Result.Message, nil
	}
	if made.Patch != nil {
		patch, err := jsonpatch.DecodePatch(made.Patch)
		if err != nil {
			return nil, "", err
		}
		if object, err = patch.Apply(object); err != nil {
			return nil, "", err
		}
	}
	checked, err := review(hooks, "/validate"+webhookPath, object)
	if err != nil || checked.Allowed {
		return object, "", err
	}
	return nil, checked.Result.Message, nil
}

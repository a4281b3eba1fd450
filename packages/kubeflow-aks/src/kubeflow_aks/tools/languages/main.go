// A language host that does one thing: it writes SDKs of a Pulumi package, by Pulumi's own generators.
//
// Pulumi's hosts of Node.js, Python and Go are not on the Go module proxy; the generators in them are. The engine starts
// pulumi-language-<language>, so the name of the program says which of them it is.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

const tool = "pulumi"

type host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	language string
}

func (host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{}, nil
}

func (h host) GeneratePackage(
	_ context.Context, request *pulumirpc.GeneratePackageRequest,
) (*pulumirpc.GeneratePackageResponse, error) {
	loader, err := schema.NewLoaderClient(request.LoaderTarget)
	if err != nil {
		return nil, err
	}
	defer loader.Close()
	var spec schema.PackageSpec
	if err := json.Unmarshal([]byte(request.Schema), &spec); err != nil {
		return nil, err
	}
	bound, diagnostics, err := schema.BindSpec(spec, loader, schema.ValidationOptions{})
	if err != nil {
		return nil, err
	}
	response := &pulumirpc.GeneratePackageResponse{}
	for _, diagnostic := range diagnostics {
		response.Diagnostics = append(response.Diagnostics, plugin.HclDiagnosticToRPCDiagnostic(diagnostic))
	}
	if diagnostics.HasErrors() {
		return response, nil
	}
	files, err := h.generate(bound, request, schema.NewCachedLoader(loader))
	if err != nil {
		return nil, err
	}
	return response, write(request.Directory, files)
}

func (h host) generate(
	bound *schema.Package, request *pulumirpc.GeneratePackageRequest, loader schema.ReferenceLoader,
) (map[string][]byte, error) {
	switch h.language {
	case "nodejs":
		return nodejs.GeneratePackage(tool, bound, request.ExtraFiles, request.LocalDependencies, request.Local, loader)
	case "python":
		return python.GeneratePackage(tool, bound, request.ExtraFiles, loader)
	case "go":
		return golang.GeneratePackage(tool, bound, request.LocalDependencies)
	}
	return nil, fmt.Errorf("%s is not allowed; expected nodejs, python or go", h.language)
}

func write(folder string, files map[string][]byte) error {
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func run() error {
	language := strings.TrimPrefix(filepath.Base(os.Args[0]), "pulumi-language-")
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(server, host{language: language})
			return nil
		},
	})
	if err != nil {
		return err
	}
	fmt.Println(handle.Port) // the engine reads it
	return <-handle.Done
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

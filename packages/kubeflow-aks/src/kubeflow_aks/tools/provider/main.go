// Pulumi's own provider of Kubernetes. Its program embeds files that its module does not carry under the names that it expects;
// here they are read from the folder in which the build keeps them.
package main

import (
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/cmdutil"
)

func read(name string) []byte {
	program, err := os.Executable()
	if err != nil {
		cmdutil.ExitError(err.Error())
	}
	folder := filepath.Join(filepath.Dir(program), "..", "manifests", filepath.Base(program))
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		cmdutil.ExitError(err.Error())
	}
	return content
}

func main() {
	provider.Serve("kubernetes", version.Version, read("schema.json"), read("terraform-mapping.json"))
}

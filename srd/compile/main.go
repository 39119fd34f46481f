// Command compile writes rules.gob.gz, the parsed form of the rules files
// beside it. go generate runs it in their directory.
package main

import (
	"fmt"
	"os"

	"github.com/MrWong99/glyphoxa/internal/mcp/tools/ruleslookup"
)

func main() {
	if err := compile(); err != nil {
		fmt.Fprintln(os.Stderr, "compile:", err)
		os.Exit(1)
	}
}

func compile() error {
	data, err := ruleslookup.Compile(os.DirFS("."))
	if err != nil {
		return err
	}
	return os.WriteFile("rules.gob.gz", data, 0o644)
}

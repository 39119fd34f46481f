// Command glyphoxa-lab measures Glyphoxa: it plays scripted scenes, simulates
// many tables, scores what the program decides, finds and hears, and judges the
// results. It is for people who write NPCs and for people who change the
// program; no table needs it.
package main

import (
	"github.com/spf13/cobra"

	"github.com/MrWong99/glyphoxa/internal/app"
	"github.com/MrWong99/glyphoxa/internal/observe"
	"github.com/MrWong99/glyphoxa/internal/play"
)

// The linker sets both for releases.
var (
	version = "dev"
	linked  = "" // the commit, where the build has no VCS stamp
)

func main() {
	libraries := observe.NewLibraryLogs(nil)
	app.RedirectLibraries(libraries)
	app.Main(app.Program{Name: "glyphoxa-lab", Version: version, Commit: linked, Libraries: libraries}, newRoot)
}

func newRoot(c *app.Common) *cobra.Command {
	root := c.Root("Scripted scenes, simulated tables and evaluations for Glyphoxa",
		"Play scripted scenes, simulate many tables to learn what this machine carries, and score\n"+
			"the program over the corpora of its repository.\n"+
			"Nothing here needs a key. Start with: glyphoxa-lab scenario run scene.yaml")
	root.AddCommand(scenarioCommand(c), simulateCommand(c), evalCommand(c), learnCommand(c))
	return root
}

// checkConfig rejects a wrong configuration that --config names, for commands
// that also work without one.
func checkConfig(c *app.Common) error {
	if c.Config == "" {
		return nil
	}
	_, err := play.LoadConfig(c.Config)
	return err
}

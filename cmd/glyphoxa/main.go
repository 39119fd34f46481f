// Command glyphoxa runs AI-driven NPCs for tabletop role-playing.
package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/MrWong99/glyphoxa/internal/app"
	"github.com/MrWong99/glyphoxa/internal/observe"
	"github.com/MrWong99/glyphoxa/internal/play"
)

// The linker sets both for releases.
var (
	version = "dev"
	linked  = "" // the commit, if the build has no VCS stamp
)

func main() {
	libraries := observe.NewLibraryLogs(nil)
	app.RedirectLibraries(libraries)
	app.Main(app.Program{Name: "glyphoxa", Version: version, Commit: linked, Libraries: libraries}, newRoot)
}

func newRoot(c *app.Common) *cobra.Command {
	root := c.Root("AI-driven NPCs for tabletop role-playing that answer in time",
		"Glyphoxa gives a game master's NPCs a voice: players speak, the right NPC answers\n"+
			"with the tools that are fast enough for that moment. Start with: glyphoxa play")
	root.AddCommand(playCommand(c), initCommand(c), npcCommand(c), runCommand(c), transcribeCommand(c), toolsCommand(c), mcpCommand(c),
		checkCommand(c), schemaCommand(c), doctorCommand(c), importCommand(c), exportCommand(c), migrateCommand(c), backupCommand(c),
		restoreCommand(c), recapCommand(c), campaignCommand(c))
	return root
}

// openApp reads the configuration and opens the parts that commands share.
func openApp(ctx context.Context, c *app.Common, o app.Options) (*app.App, error) {
	cfg, err := play.LoadConfig(c.Config)
	if err != nil {
		return nil, err
	}
	c.OpensTables()
	o.Config, o.Log, o.Report, o.Version = cfg, c.Logger(), c.ShowProgress, c.Program.Version
	return app.Open(ctx, o)
}

// withApp opens the app, runs f on it and closes it.
func withApp(ctx context.Context, c *app.Common, f func(*app.App) error) error {
	return withOptions(ctx, c, app.Options{}, f)
}

// withOptions is [withApp] with options.
func withOptions(ctx context.Context, c *app.Common, o app.Options, f func(*app.App) error) (err error) {
	a, err := openApp(ctx, c, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	return f(a)
}

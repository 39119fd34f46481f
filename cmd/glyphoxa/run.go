package main

import (
	"github.com/spf13/cobra"

	"github.com/MrWong99/glyphoxa/internal/app"
)

func runCommand(c *app.Common) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "run", Short: "Run the Discord bot, and the server for outside agents", Args: app.NoArgs,
		Long: "Run the Discord bot, if there is a token, and the server for outside agents with its metrics.\n" +
			"The token comes from DISCORD_TOKEN, or from discord.token in glyphoxa.yaml.",
		Example: "  DISCORD_TOKEN=… glyphoxa run\n  glyphoxa run --config table.yaml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return withOptions(ctx, c, app.Options{Metrics: true, Console: true, Sessions: true}, func(a *app.App) error {
				o := app.RunOptions{Version: c.Program.Version, Messages: c.Err}
				if asJSON {
					o.Events = c.Out
				}
				return a.Run(ctx, o)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the events of all tables as JSON lines, including what players say")
	return cmd
}

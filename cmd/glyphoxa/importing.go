package main

import (
	"github.com/spf13/cobra"

	"github.com/MrWong99/glyphoxa/internal/app"
	"github.com/MrWong99/glyphoxa/internal/play"
)

func importCommand(c *app.Common) *cobra.Command {
	var o app.ImportOptions
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Import a campaign file, or a world from Foundry VTT or Roll20",
		Long: "Import a campaign into memory: a campaign file (YAML), a world or compendium of Foundry VTT (its\n" +
			"directory, a zip of it, or exported JSON), or an export from Roll20 (zip or JSON). It imports all of it\n" +
			"or nothing. What players may not see there, only the DM knows here. Importing the same\n" +
			"again changes nothing.",
		Example: "  glyphoxa import worlds/barrow-keep --dry-run\n  glyphoxa import barrow-keep.zip\n  glyphoxa import barrow-keep.zip --to campaigns/barrow-keep.yaml",
		Args:    app.Args(1, 1, "import takes one file or directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := play.LoadConfig(c.Config)
			if err != nil {
				return err
			}
			o.Report = c.ShowProgress
			defer boundMemory()()
			return app.Import(cmd.Context(), c.Out, cfg, args[0], o)
		},
	}
	cmd.Flags().BoolVar(&o.Dry, "dry-run", false, "show what would change, and change nothing")
	cmd.Flags().StringVar(&o.Name, "name", "", "the campaign's name, instead of the one in the file")
	cmd.Flags().StringVar(&o.To, "to", "", "write this campaign file and import nothing")
	return cmd
}

func exportCommand(c *app.Common) *cobra.Command {
	var lines bool
	cmd := &cobra.Command{
		Use: "export FILE", Short: "Write the world as it is now to a campaign file",
		Long: "Write the world as it is now to a campaign file (YAML) that import and campaign.world can read. What\n" +
			"was said at the table is not part of it; --with-lines writes that to a second file.",
		Example: "  glyphoxa export barrow-keep.yaml",
		Args:    app.Args(1, 1, "export takes one file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := play.LoadConfig(c.Config)
			if err != nil {
				return err
			}
			return app.Export(cmd.Context(), c.Out, cfg, args[0], lines)
		},
	}
	cmd.Flags().BoolVar(&lines, "with-lines", false, "also write what was said, as JSON lines, to FILE's name with .lines.jsonl")
	return cmd
}

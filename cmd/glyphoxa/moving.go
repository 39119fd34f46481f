package main

import (
	"github.com/spf13/cobra"

	"github.com/MrWong99/glyphoxa/internal/app"
	"github.com/MrWong99/glyphoxa/internal/play"
)

const placeHelp = "A place is sqlite or postgres for that of the configuration, the path of a file, a connection\n" +
	"string, or env:NAME for one in a variable."

func migrateCommand(c *app.Common) *cobra.Command {
	return &cobra.Command{
		Use: "migrate FROM TO", Short: "Take memory from a file to PostgreSQL, or back",
		Long: "Take all of memory from one place to another in which nothing is kept: all of it, or nothing.\n" +
			"What has come is counted and compared by hashes before it counts. FROM stays as it is. No table\n" +
			"may run meanwhile; set memory.store then.\n" + placeHelp,
		Example: "  glyphoxa migrate sqlite postgres\n  glyphoxa migrate env:GLYPHOXA_DSN data/glyphoxa.db",
		Args:    app.Args(2, 2, "migrate takes where memory is and where it is to be"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := play.LoadConfig(c.Config)
			if err != nil {
				return err
			}
			defer boundMemory()()
			return app.Migrate(cmd.Context(), c.Out, cfg, args[0], args[1], c.SayProgress)
		},
	}
}

func backupCommand(c *app.Common) *cobra.Command {
	var o app.MoveOptions
	cmd := &cobra.Command{
		Use: "backup FILE", Short: "Write all of memory to a file, also while a table runs",
		Long: "Write all of memory to a file, as it is at one moment, also while a table runs. The same file\n" +
			"goes into any store. It holds what was said, so keep it as you keep that.\n" + placeHelp,
		Example: "  glyphoxa backup monday.gz\n  glyphoxa backup monday.gz --from env:GLYPHOXA_DSN",
		Args:    app.Args(1, 1, "backup takes one file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := play.LoadConfig(c.Config)
			if err != nil {
				return err
			}
			o.Say = c.SayProgress
			defer boundMemory()()
			return app.Backup(cmd.Context(), c.Out, cfg, args[0], o)
		},
	}
	cmd.Flags().StringVar(&o.Place, "from", "", "the place to write, if not the configuration's")
	cmd.Flags().BoolVar(&o.Replace, "replace", false, "write over a file that is there")
	return cmd
}

func restoreCommand(c *app.Common) *cobra.Command {
	var o app.MoveOptions
	cmd := &cobra.Command{
		Use: "restore FILE", Short: "Take a backup into memory",
		Long: "Take a backup into memory: all of it, or nothing. Who was forgotten after it was made does not\n" +
			"come back. No table may run meanwhile.\n" + placeHelp,
		Example: "  glyphoxa restore monday.gz\n  glyphoxa restore monday.gz --to postgres --replace",
		Args:    app.Args(1, 1, "restore takes one backup"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := play.LoadConfig(c.Config)
			if err != nil {
				return err
			}
			o.Say = c.SayProgress
			defer boundMemory()()
			return app.Restore(cmd.Context(), c.Out, cfg, args[0], o)
		},
	}
	cmd.Flags().StringVar(&o.Place, "to", "", "the place to take it to, if not the configuration's")
	cmd.Flags().BoolVar(&o.Replace, "replace", false, "put it in the place of all that is there")
	cmd.Flags().StringVar(&o.Withheld, "withheld", "", "the list of who was forgotten, if not the one beside the store")
	return cmd
}

package main

import (
	"github.com/spf13/cobra"

	"github.com/MrWong99/glyphoxa/internal/app"
	"github.com/MrWong99/glyphoxa/internal/play"
)

const placeHelp = "A place is sqlite or postgres as configured, the path of a file, a connection\n" +
	"string, or env:NAME for a connection string in a variable."

func migrateCommand(c *app.Common) *cobra.Command {
	return &cobra.Command{
		Use: "migrate FROM TO", Short: "Move memory from a file to PostgreSQL, or back",
		Long: "Copy all of memory from one place to another, empty one: all of it, or nothing.\n" +
			"The copy is counted and compared by hashes before it is used. FROM stays as it is. No table\n" +
			"may run in the meantime; set memory.store afterwards.\n" + placeHelp,
		Example: "  glyphoxa migrate sqlite postgres\n  glyphoxa migrate env:GLYPHOXA_DSN data/glyphoxa.db",
		Args:    app.Args(2, 2, "migrate takes the place where memory is and the place to copy it to"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := play.LoadConfig(c.Config)
			if err != nil {
				return err
			}
			defer boundMemory()()
			return app.Migrate(cmd.Context(), c.Out, cfg, args[0], args[1], c.ShowProgress)
		},
	}
}

func backupCommand(c *app.Common) *cobra.Command {
	var o app.MoveOptions
	cmd := &cobra.Command{
		Use: "backup FILE", Short: "Write all of memory to a file, also while a table runs",
		Long: "Write all of memory to a file, as it is at one moment, also while a table runs. The same file\n" +
			"fits any store. It contains what was said at the table, so keep it safe.\n" + placeHelp,
		Example: "  glyphoxa backup monday.gz\n  glyphoxa backup monday.gz --from env:GLYPHOXA_DSN",
		Args:    app.Args(1, 1, "backup takes one file to write"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := play.LoadConfig(c.Config)
			if err != nil {
				return err
			}
			o.Report = c.ShowProgress
			defer boundMemory()()
			return app.Backup(cmd.Context(), c.Out, cfg, args[0], o)
		},
	}
	cmd.Flags().StringVar(&o.Place, "from", "", "the place to back up, if not the configured one")
	cmd.Flags().BoolVar(&o.Replace, "replace", false, "overwrite an existing file")
	return cmd
}

func restoreCommand(c *app.Common) *cobra.Command {
	var o app.MoveOptions
	cmd := &cobra.Command{
		Use: "restore FILE", Short: "Restore a backup into memory",
		Long: "Restore a backup into memory: all of it, or nothing. Players who were forgotten after it was made do not\n" +
			"come back. No table may run in the meantime.\n" + placeHelp,
		Example: "  glyphoxa restore monday.gz\n  glyphoxa restore monday.gz --to postgres --replace",
		Args:    app.Args(1, 1, "restore takes one backup"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := play.LoadConfig(c.Config)
			if err != nil {
				return err
			}
			o.Report = c.ShowProgress
			defer boundMemory()()
			return app.Restore(cmd.Context(), c.Out, cfg, args[0], o)
		},
	}
	cmd.Flags().StringVar(&o.Place, "to", "", "the place to restore it to, if not the configured one")
	cmd.Flags().BoolVar(&o.Replace, "replace", false, "replace everything that is there")
	cmd.Flags().StringVar(&o.ForgottenUsersFile, "withheld", "", "the list of forgotten players, if not the one next to the store")
	return cmd
}

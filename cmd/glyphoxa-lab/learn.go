package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/MrWong99/glyphoxa/internal/app"
	"github.com/MrWong99/glyphoxa/internal/lab/tabletalk"
	"github.com/MrWong99/glyphoxa/internal/lab/truth"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

func learnCommand(c *app.Common) *cobra.Command {
	cmd := &cobra.Command{Use: "learn", Short: "Learn anew what the program decides by", Args: app.NoArgs, RunE: app.Help}
	var talk string
	address := &cobra.Command{
		Use: "address", Short: "Learn whom a line is for", Args: app.NoArgs,
		Long: "Learn the weights by which the program decides whether a line that calls nobody is for the NPC\n" +
			"that is being talked with, and write them to internal/address/weights.tsv. It takes recorded table\n" +
			"talk, the exchanges of testdata/truth/exchanges and the sequences of testdata/truth/address.\n" +
			"Run it inside a clone of the repository.",
		Example: "  glyphoxa-lab learn address --talk table-talk",
		RunE: func(*cobra.Command, []string) error {
			root, err := repositoryRoot()
			if err != nil {
				return userfile.Usage(fmt.Errorf("learn address: %w", err))
			}
			if talk == "" {
				return userfile.Usage(fmt.Errorf("learn address: name the folder of recorded table talk with --talk"))
			}
			o := truth.Options{Root: root, Talk: talk, Say: c.ShowProgress}
			weights, err := o.AddressLesson().Learn()
			if err != nil {
				return fmt.Errorf("learn address: %w", err)
			}
			return os.WriteFile(filepath.Join(root, "internal", "address", "weights.tsv"), []byte(tabletalk.Encode(weights)), 0o644)
		},
	}
	address.Flags().StringVar(&talk, "talk", os.Getenv("GLYPHOXA_TABLE_TALK"), "the folder of recorded table talk; $GLYPHOXA_TABLE_TALK if missing")
	cmd.AddCommand(address, &cobra.Command{
		Use: "uptake", Short: "Learn what tells assent from other words", Args: app.NoArgs,
		Long: "Learn the weights by which the program takes words over an NPC's answer for assent, from the\n" +
			"reactions that internal/address lists and the exchanges of testdata/truth/exchanges, and write them to\n" +
			"internal/address/uptake.tsv. Run it inside a clone of the repository.",
		Example: "  glyphoxa-lab learn uptake",
		RunE: func(*cobra.Command, []string) error {
			root, err := repositoryRoot()
			if err != nil {
				return userfile.Usage(fmt.Errorf("learn uptake: %w", err))
			}
			weights, err := truth.Options{Root: root}.AddressLesson().LearnUptake()
			if err != nil {
				return fmt.Errorf("learn uptake: %w", err)
			}
			return os.WriteFile(filepath.Join(root, "internal", "address", "uptake.tsv"), []byte(tabletalk.Encode(weights)), 0o644)
		},
	})
	return cmd
}

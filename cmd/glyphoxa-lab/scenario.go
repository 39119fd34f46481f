package main

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/MrWong99/glyphoxa/internal/app"
	"github.com/MrWong99/glyphoxa/internal/lab/scenario"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

func scenarioCommand(c *app.Common) *cobra.Command {
	cmd := &cobra.Command{Use: "scenario", Short: "Play scripted scenes", Args: app.NoArgs,
		RunE: app.Help}
	var o scenario.Command
	var judged bool
	run := &cobra.Command{
		Use: "run FILE…", Short: "Play scenes and judge each expectation",
		Long: "Play scripted scenes at a real table and judge what comes of them. Players, language\n" +
			"model, recognition and synthesis are scripted; time is virtual, so a scene takes\n" +
			"milliseconds. A directory stands for the scenes in it.",
		Example: "  glyphoxa-lab scenario run testdata/scenarios\n  glyphoxa-lab scenario run barge_in.yaml --audio --wav-out heard",
		Args:    app.Args(1, math.MaxInt, "scenario run takes scene files or directories of them"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Paths, o.Out = args, c.Out
			if err := checkConfig(c); err != nil {
				return err
			}
			if err := app.RefuseEmpty(cmd, "wav-out"); err != nil {
				return err
			}
			if judged {
				cfg, err := play.LoadConfig(c.Config)
				if err != nil {
					return err
				}
				o.Config = cfg
			}
			return o.Run(cmd.Context())
		},
	}
	f := run.Flags()
	f.BoolVar(&o.Audio, "audio", false, "play in real time, with synthesised speech")
	f.BoolVar(&o.JSON, "json", false, "print events and verdicts as JSON lines")
	f.BoolVar(&judged, "judge", false, "ask the configured language model where a scene wants an opinion")
	f.StringVar(&o.WAV, "wav-out", "", "write what was heard of each scene to this directory")
	cmd.AddCommand(run, &cobra.Command{
		Use: "check FILE…", Short: "Report every problem of scene files",
		Example: "  glyphoxa-lab scenario check scenes",
		Args:    app.Args(1, math.MaxInt, "scenario check takes scene files or directories of them"),
		RunE: func(_ *cobra.Command, args []string) error {
			scenes, err := scenario.Load(args...)
			if err != nil {
				return userfile.Usage(err)
			}
			for _, s := range scenes {
				if _, err := fmt.Fprintf(c.Out, "%s is fine: %s, %d steps, %d expectations\n", s.File, s.Title, len(s.Story), len(s.Expect)); err != nil {
					return err
				}
			}
			return nil
		},
	}, &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of a scene file, for editors",
		Example: "  glyphoxa-lab scenario schema > scene.schema.json",
		Args:    app.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := scenario.Schema()
			if err != nil {
				return err
			}
			return userfile.WriteSchema(c.Out, s)
		},
	})
	return cmd
}

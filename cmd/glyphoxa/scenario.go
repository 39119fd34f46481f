package main

import (
	"math"

	"github.com/spf13/cobra"

	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/scenario"
)

func scenarioCommand(c *common) *cobra.Command {
	cmd := &cobra.Command{Use: "scenario", Short: "Play scripted scenes", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	var o scenario.Command
	var judged bool
	run := &cobra.Command{
		Use: "run FILE…", Short: "Play scenes and judge each expectation",
		Long: "Play scripted scenes at a real table and judge what comes of them. Players, language\n" +
			"model, recognition and synthesis are scripted; time is virtual, so a scene takes\n" +
			"milliseconds. A directory stands for the scenes in it.",
		Example: "  glyphoxa scenario run testdata/scenarios\n  glyphoxa scenario run barge_in.yaml --audio --wav-out heard",
		Args:    takeArgs(1, math.MaxInt, "scenario run takes scene files or directories of them"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Paths, o.Out = args, c.out
			if err := c.checkConfig(); err != nil {
				return err
			}
			if err := refuseEmpty(cmd, "wav-out"); err != nil {
				return err
			}
			if judged {
				cfg, err := play.LoadConfig(c.config)
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
	cmd.AddCommand(run)
	return cmd
}

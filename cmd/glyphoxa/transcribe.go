package main

import (
	"github.com/MrWong99/glyphoxa/internal/app"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/terminal"
	"github.com/spf13/cobra"
)

func transcribeCommand(c *app.Common) *cobra.Command {
	var o terminal.TranscribeOptions
	cmd := &cobra.Command{
		Use: "transcribe FILE.wav", Short: "Try the speech recognition on a recording",
		Long: "Send a recording (16-bit PCM) through the configured speech recognition, as if it\n" +
			"were spoken now, and print what it hears and when.",
		Example: "  glyphoxa transcribe evening.wav\n  glyphoxa transcribe evening.wav --fast --json",
		Args:    app.Args(1, 1, "transcribe takes one WAV file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := play.LoadConfig(c.Config)
			if err != nil {
				return err
			}
			o.File, o.Out = args[0], c.Out
			return terminal.Transcribe(cmd.Context(), cfg, o)
		},
	}
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print JSON lines")
	cmd.Flags().BoolVar(&o.Fast, "fast", false, "send the sound as fast as possible, not at the speed of speech")
	return cmd
}

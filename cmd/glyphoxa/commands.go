package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/MrWong99/glyphoxa/internal/app"
	"github.com/MrWong99/glyphoxa/internal/terminal"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

func playCommand(c *app.Common) *cobra.Command {
	var o terminal.Options
	var metrics string
	var page, inBrowser bool
	cmd := &cobra.Command{
		Use: "play", Short: "Play at a table in the terminal", Args: app.NoArgs,
		Long: "Play at a table in the terminal: what you type is speech. It needs no key and no server.\n" +
			"\"Name: text\" speaks as another player. The input may also be a pipe.\n" +
			"With --hear, players speak through this machine's microphone or from recordings.",
		Example: "  glyphoxa play\n  glyphoxa play --voice --hear mic\n  glyphoxa play --console\n  glyphoxa play --browser\n  glyphoxa play --hear Ana=ana.wav --hear Ben=ben.wav </dev/null",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := app.RefuseEmpty(cmd, "npc", "speaker", "wav", "metrics"); err != nil {
				return err
			}
			o.In, o.Out, o.Terminal, o.Edit, o.Colour, o.Err, o.Interrupt = c.In, c.ReleaseOut(), c.Terminal, c.Edit, c.Colour, c.Notes, c.Interrupt
			if !cmd.Flags().Changed("timing") { // for readers of a pipe
				o.Timing = !c.Edit
			}
			ctx := cmd.Context()
			return withOptions(ctx, c, app.Options{Metrics: page || inBrowser || metrics != "", Console: page, Browser: inBrowser}, func(a *app.App) error {
				if inBrowser {
					o.Guests = a.Room
				}
				return a.WithMetrics(ctx, metrics, c.Err, func() error { return terminal.Play(ctx, a.Game, o) })
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.NPC, "npc", "", "play with only this NPC at the table")
	f.StringVar(&o.Speaker, "speaker", "Player", "the player who speaks lines without a name")
	f.StringArrayVar(&o.Hear, "hear", nil, "hear a player: mic or FILE.wav, with NAME= before it if you like; may be repeated")
	f.BoolVar(&o.Aloud, "voice", false, "play the NPCs' voices")
	f.StringVar(&o.WAV, "wav", "", "write the NPCs' voices to this file")
	f.BoolVar(&o.JSON, "json", false, "print events as JSON lines")
	f.BoolVar(&o.Timing, "timing", false, "show after each answer how long it took; always on when the output is a pipe, unless --timing=false")
	f.StringVar(&metrics, "metrics", "", "serve metrics and health checks on this port of this machine, or on host:port")
	f.BoolVar(&page, "console", false, "serve the console, a web page to watch and run the game, at server.listen or at the address of --metrics")
	f.BoolVar(&inBrowser, "browser", false, "let players join in a browser and hear the NPCs there; prints the link")
	return cmd
}

func mcpCommand(c *app.Common) *cobra.Command {
	cmd := &cobra.Command{Use: "mcp", Short: "Offer the tools to outside agents", Args: app.NoArgs,
		RunE: app.Help}
	o := app.ServeOptions{Version: c.Program.Version}
	var readOnly bool
	serve := &cobra.Command{
		Use: "serve [--stdio | --listen ADDR]", Short: "Serve the registry over MCP", Args: app.NoArgs,
		Example: "  glyphoxa mcp serve\n  glyphoxa mcp serve --listen 127.0.0.1:0\n  glyphoxa mcp serve --stdio --profile player.full",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Ready = c.Err
			open := app.Options{ReadOnly: readOnly, Metrics: true}
			return withOptions(cmd.Context(), c, open, func(a *app.App) error { return a.Serve(cmd.Context(), o) })
		},
	}
	f := serve.Flags()
	f.BoolVar(&o.Stdio, "stdio", false, "serve one client on the standard streams")
	f.StringVar(&o.Listen, "listen", "", "serve HTTP and WebSocket at host:port (port 0 picks a free one)")
	f.StringVar(&o.Profile, "profile", "", "what the client on the standard streams may do (default "+app.DefaultStdioProfile+")")
	f.StringVar(&o.Campaign, "campaign", "", "stop with an error unless this campaign is configured")
	f.BoolVar(&o.Compact, "compact", false, "offer two tools, list_programs and invoke_program, instead of all tools")
	f.BoolVar(&readOnly, "read-only", false, "offer only tools that change nothing")
	token := &cobra.Command{
		Use: "token NAME", Short: "Make a token for a client", Example: "  glyphoxa mcp token claude",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !app.ClientName(args[0]) {
				return userfile.Usage(errors.New("mcp token takes the client's name: letters, digits, dots, dashes and underscores"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return app.NewToken(c.Out, args[0]) },
	}
	cmd.AddCommand(serve, token)
	return cmd
}

func checkCommand(c *app.Common) *cobra.Command {
	return &cobra.Command{
		Use: "check [FILE]", Short: "Report every problem of the configuration, or of an NPC, campaign or workflow file",
		Args: app.Args(0, 1, "check takes one file at most"),
		RunE: func(_ *cobra.Command, args []string) error {
			file := ""
			if len(args) == 1 {
				file = args[0]
			}
			return app.Check(c.Out, c.Config, file)
		},
	}
}

func schemaCommand(c *app.Common) *cobra.Command {
	return &cobra.Command{
		Use: "schema [" + strings.Join(app.SchemaKinds(), " | ") + "]", Short: "Print the JSON Schema of glyphoxa.yaml or another kind of file, for editors",
		Example: "  glyphoxa schema > glyphoxa.schema.json\n  glyphoxa schema npc > npc.schema.json",
		Args:    app.Args(0, 1, "schema takes one kind of file at most"),
		RunE: func(_ *cobra.Command, args []string) error {
			return app.Schema(c.Out, append(args, app.SchemaKinds()[0])[0])
		},
	}
}

func doctorCommand(c *app.Common) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Show what works on this machine, and how to fix the rest", Args: app.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.Examine(cmd.Context(), c.Out, c.Config) },
	}
}

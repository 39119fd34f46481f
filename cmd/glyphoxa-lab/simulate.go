package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/MrWong99/glyphoxa/internal/app"
	"github.com/MrWong99/glyphoxa/internal/lab/simulate"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

func simulateCommand(c *app.Common) *cobra.Command {
	var o simulate.Command
	var sweep, engines string
	var far farEnds
	cmd := &cobra.Command{
		Use: "simulate --tables N --players M --minutes D", Short: "Measure how many tables this machine carries", Args: app.NoArgs,
		Long: "Play many tables at once, with players who speak and NPCs who answer aloud, and report\n" +
			"as JSON how late their sound is. Everything is real but the players and the providers,\n" +
			"which take the time that services over the internet take. Needs no key and no network.\n" +
			"With --discord they hear each other in voice channels, over UDP and encrypted; players and\n" +
			"Discord are a second process then, and the CPU that is reported is the bot's alone.\n" +
			"With --browser they join tables in browsers, over WebRTC; they are a second process, too.",
		Example: "  glyphoxa-lab simulate --tables 100 --players 4 --minutes 2\n" +
			"  glyphoxa-lab simulate --tables 100 --engines cascaded=50,s2s=30,sentence_cascade=20\n" +
			"  glyphoxa-lab simulate --tables 50 --discord\n" +
			"  glyphoxa-lab simulate --tables 25 --browser\n" +
			"  glyphoxa-lab simulate --sweep 10,20,50,100 --minutes 1 --plot capacity.svg",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if far.served { // the process ends with its input, because a Ctrl-C is meant for its parent
				return simulate.ServeFarEnd(context.WithoutCancel(cmd.Context()), cmd.InOrStdin(), c.Out)
			}
			if err := checkConfig(c); err != nil {
				return err
			}
			if err := app.RefuseEmpty(cmd, "plot", "profile", "detection"); err != nil {
				return err
			}
			if cmd.Flags().Changed("sweep") {
				if o.Sweep, err = parseTables(sweep); err != nil {
					return userfile.Usage(fmt.Errorf("--sweep: %w", err))
				}
				if cmd.Flags().Changed("tables") {
					return userfile.Usage(errors.New("simulate takes --tables or --sweep, not both"))
				}
			}
			if cmd.Flags().Changed("engines") {
				if o.Engines, err = simulate.ParseMix(engines); err != nil {
					return userfile.Usage(fmt.Errorf("--engines: %w", err))
				}
			}
			if err := far.choose(cmd, &o); err != nil {
				return err
			}
			o.Out, o.Say = c.Out, c.ShowProgress
			return o.Run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.Tables, "tables", 10, "tables at once, as many as the memory holds")
	f.StringVar(&sweep, "sweep", "", "numbers of tables to simulate one after the other, such as 10,20,50,100")
	f.IntVar(&o.Players, "players", 4, "players at each table, 1 to 100; every fourth has an open microphone")
	f.IntVar(&o.NPCs, "npcs", 2, "NPCs at each table, 1 to 6")
	f.StringVar(&engines, "engines", "", "through which engines the NPCs speak, such as cascaded=50,s2s=30,sentence_cascade=20; all cascaded if missing")
	f.StringVar(&o.Detection, "detection", "auto", "what tells the players' voices from noise: auto, silero, energy or webrtc")
	f.Float64Var(&o.Minutes, "minutes", 1, "how long to play")
	f.Uint64Var(&o.Seed, "seed", 1, "makes the same chances come again")
	far.addFlags(cmd)
	f.StringVar(&o.Plot, "plot", "", "draw lateness, first sound, CPU and memory into this file (.svg or .png)")
	f.StringVar(&o.Profile, "profile", "", "write a CPU profile for go tool pprof to this file")
	return cmd
}

// farEnds are the flags that say where the players are.
type farEnds struct{ discord, dave, browser, served bool }

func (e *farEnds) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&e.discord, "discord", false, "play in voice channels of a Discord on loopback, a second process")
	f.BoolVar(&e.dave, "dave", true, "encrypt from end to end in voice channels")
	f.BoolVar(&e.browser, "browser", false, "play in browsers: players join over WebRTC, on loopback, from a second process")
	f.BoolVar(&e.served, "far-end", false, "be that second process")
	cobra.CheckErr(f.MarkHidden("far-end"))
}

// choose records in o where the tables play.
func (e *farEnds) choose(cmd *cobra.Command, o *simulate.Command) error {
	switch {
	case e.discord && e.browser:
		return userfile.Usage(errors.New("simulate takes --discord or --browser, not both"))
	case e.discord:
		o.Discord = &simulate.Discord{Plain: !e.dave, FarEnd: runFarEnd}
	case cmd.Flags().Changed("dave"):
		return userfile.Usage(errors.New("--dave is of voice channels; give it with --discord"))
	case e.browser:
		o.Browser = &simulate.Browser{FarEnd: runFarEnd}
	}
	return nil
}

// runFarEnd runs this program as the process that holds the players.
func runFarEnd() *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	return exec.Command(program, "simulate", "--far-end")
}

// parseTables reads numbers of tables, such as 10,20,50.
func parseTables(text string) ([]int, error) {
	var all []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a number of tables; write them as 10,20,50", part)
		}
		all = append(all, n)
	}
	return all, nil
}

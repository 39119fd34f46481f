package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/MrWong99/glyphoxa/internal/app"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

func recapCommand(c *app.Common) *cobra.Command {
	var o app.RecapOptions
	cmd := &cobra.Command{
		Use: "recap [SESSION]", Short: "Tell what happened in a session",
		Long: "Tell what happened in a session, or in the latest: in the words of the configured model, or without one\n" +
			"with the most important lines. With --players, it leaves out what only the DM or single NPCs know.",
		Example: "  glyphoxa recap\n  glyphoxa recap 20261122-194107-5f3a9c01 --players",
		Args:    app.Args(0, 1, "recap takes the id of one session at most"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := play.LoadConfig(c.Config)
			if err != nil {
				return err
			}
			if len(args) == 1 {
				o.Session = args[0]
			}
			return app.Recap(cmd.Context(), c.Out, cfg, o)
		},
	}
	cmd.Flags().BoolVar(&o.Threads, "threads", false, "group it by promises, news, and who and what was mentioned most")
	cmd.Flags().BoolVar(&o.Players, "players", false, "tell only what players may know")
	cmd.Flags().BoolVar(&o.Extract, "extract", false, "use the lines themselves, even if there is a model")
	return cmd
}

func campaignCommand(c *app.Common) *cobra.Command {
	cmd := &cobra.Command{Use: "campaign", Short: "List and remove campaigns", Args: app.NoArgs,
		RunE: app.Help}
	list := &cobra.Command{
		Use: "list", Short: "List the campaigns in memory", Args: app.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := play.LoadConfig(c.Config)
			if err != nil {
				return err
			}
			return app.Campaigns(cmd.Context(), c.Out, cfg)
		},
	}
	var o app.RemoveOptions
	var yes bool
	remove := &cobra.Command{
		Use: "remove NAME", Short: "Remove a campaign from memory",
		Long: "Remove from memory what a campaign added: its entities, their relations and what is told about\n" +
			"them. Its sessions stay unless you give --with-sessions. It prints what else stays.",
		Example: "  glyphoxa campaign remove \"Barrow Keep\"\n  glyphoxa campaign remove \"Barrow Keep\" --with-sessions --yes",
		Args:    app.Args(1, 1, "campaign remove takes the name of one campaign; campaign list names them"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := play.LoadConfig(c.Config)
			if err != nil {
				return err
			}
			if o.Name = args[0]; !yes {
				o.Confirm = confirmByName(c, args[0])
			}
			return app.RemoveCampaign(cmd.Context(), c.Out, cfg, o)
		},
	}
	remove.Flags().BoolVar(&o.Sessions, "with-sessions", false, "also remove its sessions with every line")
	remove.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.AddCommand(list, remove)
	return cmd
}

// confirmByName asks the user at the terminal to type a name.
func confirmByName(c *app.Common, name string) func(string) error {
	return func(question string) error {
		if !c.Terminal {
			return userfile.Usage(errors.New(question + " There is no terminal to ask on; give --yes"))
		}
		fmt.Fprintf(c.Err, "%s\nType the campaign's name to go on: ", question)
		answer, _ := bufio.NewReader(c.In).ReadString('\n') // the end of input counts as no answer
		if strings.TrimSpace(answer) != name {
			return userfile.Usage(errors.New("that is not the campaign's name; nothing was removed"))
		}
		return nil
	}
}

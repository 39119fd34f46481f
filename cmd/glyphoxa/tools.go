package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/MrWong99/glyphoxa/internal/app"
)

func toolsCommand(c *app.Common) *cobra.Command {
	var o app.ToolsOptions
	list := func(ctx context.Context, calibrate bool) error {
		o.Calibrate = calibrate
		return withApp(ctx, c, func(a *app.App) error {
			err := a.ListTools(ctx, c.Out, o)
			if !c.Quiet {
				a.WriteNotices(c.Err)
			}
			return err
		})
	}
	cmd := &cobra.Command{
		Use: "tools", Short: "Show every tool with its tier and speed", Args: app.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), false) },
	}
	cmd.PersistentFlags().BoolVar(&o.JSON, "json", false, "print JSON")
	cmd.PersistentFlags().StringVar(&o.Tier, "tier", "", "only what fits this tier")
	cmd.PersistentFlags().StringVar(&o.NPC, "npc", "", "only what this NPC may use")
	calibrate := &cobra.Command{
		Use: "calibrate", Short: "Measure the tools, then show them", Args: app.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), true) },
	}
	cmd.AddCommand(calibrate, toolsShowCommand(c), toolsApproveCommand(c), toolsDiffCommand(c), toolsForgetCommand(c), toolsCallCommand(c))
	return cmd
}

func toolsShowCommand(c *app.Common) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Show what a tool does and takes, with an example", Example: "  glyphoxa tools show roll",
		Args: app.Args(1, 1, "tools show takes the name of one tool; glyphoxa tools lists them"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withApp(cmd.Context(), c, func(a *app.App) error { return a.ShowTool(cmd.Context(), c.Out, args[0]) })
		},
	}
}

func toolsApproveCommand(c *app.Common) *cobra.Command {
	return &cobra.Command{
		Use: "approve NAME", Short: "Approve the changed or new definition of a pinned tool",
		Args: app.Args(1, 1, "tools approve takes the name of one tool; tools diff lists those that are waiting"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withApp(cmd.Context(), c, func(a *app.App) error { return a.ApproveTool(cmd.Context(), c.Out, args[0]) })
		},
	}
}

func toolsDiffCommand(c *app.Common) *cobra.Command {
	return &cobra.Command{
		Use: "diff [NAME]", Short: "Show what is waiting for approval",
		Args: app.Args(0, 1, "tools diff takes the name of one tool at most"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) == 1 {
				name = args[0]
			}
			return withApp(cmd.Context(), c, func(a *app.App) error { return a.DiffTools(cmd.Context(), c.Out, name) })
		},
	}
}

func toolsForgetCommand(c *app.Common) *cobra.Command {
	return &cobra.Command{
		Use: "forget NAME", Short: "Free the name of a tool whose server is gone",
		Long: "Free the name of a tool whose server is no longer in the configuration, so that another\n" +
			"server's tool can have it. NAME is the name, SERVER/TOOL, or a server for all its tools.",
		Example: "  glyphoxa tools forget web_echo\n  glyphoxa tools forget old-server",
		Args:    app.Args(1, 1, "tools forget takes one name: of a tool, SERVER/TOOL, or of a server"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withApp(cmd.Context(), c, func(a *app.App) error { return a.ForgetTool(cmd.Context(), c.Out, args[0]) })
		},
	}
}

func toolsCallCommand(c *app.Common) *cobra.Command {
	return &cobra.Command{
		Use: "call NAME [JSON]", Short: "Run one tool", Example: `  glyphoxa tools call roll '{"expression":"2d6+3"}'`,
		Args: app.Args(1, 2, `tools call takes a name and a JSON object, such as: tools call roll '{"expression":"2d6+3"}'`),
		RunE: func(cmd *cobra.Command, args []string) error {
			input := "{}"
			if len(args) == 2 {
				input = args[1]
			}
			return withApp(cmd.Context(), c, func(a *app.App) error { return a.CallTool(cmd.Context(), c.Out, args[0], input) })
		},
	}
}

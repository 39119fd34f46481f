package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/aymanbagabas/go-udiff"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// ToolsOptions select what ListTools prints.
type ToolsOptions struct {
	JSON bool
	// Tier, if not empty, keeps only the tools that fit the tier.
	Tier string
	// NPC, if not empty, keeps only the tools that the NPC may use.
	NPC string
	// Calibrate measures the tools first.
	Calibrate bool
}

// ListTools prints the tools in the registry.
func (a *App) ListTools(ctx context.Context, w io.Writer, o ToolsOptions) error {
	keep := func(mcphost.Status) bool { return true }
	if o.Tier != "" {
		limit, err := mcp.ParseTier(o.Tier)
		if err != nil {
			return userfile.Usage(fmt.Errorf("--tier: %w", err))
		}
		keep = func(s mcphost.Status) bool { return s.Tier <= limit && s.State != "down" }
	}
	if o.NPC != "" {
		cast, err := play.ChooseNPCs(a.Cast(), o.NPC)
		if err != nil {
			return userfile.Usage(err)
		}
		npc, fits := cast[0], keep
		keep = func(s mcphost.Status) bool {
			return fits(s) && slices.Contains(npc.Tools, s.Name) && s.Tier <= npc.BudgetTier
		}
	}
	a.Registry.Ready(ctx, a.report)
	if o.Calibrate {
		a.report("measuring " + plural.Count(len(a.Registry.Host.Names()), "tool", "tools"))
		if err := a.Registry.Calibrate(ctx); err != nil {
			return err
		}
	}
	status := slices.DeleteFunc(a.Registry.Host.Status(), func(s mcphost.Status) bool { return !keep(s) })
	if o.JSON {
		return writeJSON(w, status)
	}
	return errors.Join(writeTools(w, status), writeLeftOut(w, a.Registry.Host))
}

// writeLeftOut prints which tools, and which parts of tools, of external servers cannot be used.
func writeLeftOut(w io.Writer, h *mcphost.Host) error {
	for _, text := range play.LeftOut(h) {
		if _, err := fmt.Fprintln(w, text); err != nil {
			return err
		}
	}
	return nil
}

func writeTools(w io.Writer, status []mcphost.Status) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "NAME\tSOURCE\tSTATE\tTIER\tWHY\tDECLARED\tP50\tP99\tERRORS\tSAMPLES\tNOT MEASURED BECAUSE")
	for _, s := range status {
		name := s.Name
		if s.Original != "" {
			name += " (" + s.Original + ")"
		}
		p50, p99 := "-", "-"
		if s.P50 > 0 || s.Samples > 0 && s.ErrorRate < 1 {
			p50, p99 = mcp.MillisText(s.P50), mcp.MillisText(s.P99)
		}
		declared := "-"
		if s.DeclaredP50 > 0 {
			declared = mcp.MillisText(s.DeclaredP50)
		}
		why := strings.Join(strings.Fields(s.Probe), " ")
		if s.Samples > 0 {
			why = ""
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.0f %%\t%d\t%s\n",
			name, s.Source, s.State, s.Tier, s.TierReason, declared, p50, p99, s.ErrorRate*100, s.Samples, why)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, s := range status {
		if s.NameReason != "" {
			if _, err := fmt.Fprintf(w, "%s is not called %s: %s\n", s.Name, s.Original, s.NameReason); err != nil {
				return err
			}
		}
	}
	return nil
}

// CallTool runs one tool with full rights and prints its result. If the tool reports a failure, that is
// returned as an error.
func (a *App) CallTool(ctx context.Context, w io.Writer, name, args string) error {
	own := func(s mcphost.Status) bool { return s.Name == name && s.Source == "builtin" }
	if !slices.ContainsFunc(a.Registry.Host.Status(), own) { // it belongs to an external server, or is a workflow that may call one
		a.Registry.Ready(ctx, a.report)
	}
	if t, known := a.Registry.Host.Registered(name); known && t.Composite { // reading the book must not count as the time of its calls
		if err := a.Registry.Rules.Warm(); err != nil {
			return err
		}
	}
	res, err := a.Registry.Host.ExecuteTool(ctx, name, args)
	if errors.Is(err, mcp.ErrUnknownTool) {
		return a.unknownTool(err, name)
	}
	if err != nil {
		return err
	}
	if res.IsError {
		return fmt.Errorf("%s failed: %s", name, res.Text)
	}
	_, err = fmt.Fprintln(w, res.Text)
	return err
}

// ApproveTool approves the waiting definition of a held tool.
func (a *App) ApproveTool(ctx context.Context, w io.Writer, name string) error {
	a.Registry.Ready(ctx, a.report)
	if err := a.Registry.Host.Approve(ctx, name); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "approved", name)
	return err
}

// ForgetTool releases the remembered names of a tool, or of a server's tools, whose server was removed.
func (a *App) ForgetTool(ctx context.Context, w io.Writer, name string) error {
	a.Registry.Ready(ctx, a.report)
	given, err := a.Registry.ForgetName(ctx, name)
	if err != nil {
		return err
	}
	for _, f := range given {
		line := fmt.Sprintf("freed the name %s (%s)", f.Name, f.Owner)
		if f.Heir != "" {
			line += fmt.Sprintf("; it now belongs to %s", f.Heir)
		}
		if f.HeirWas != "" && f.HeirWas != f.Name {
			line += fmt.Sprintf(", which was called %s: update the NPCs' tools", f.HeirWas)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// DiffTools prints the definitions that wait for approval, or that of one tool, as a diff against the
// approved one.
func (a *App) DiffTools(ctx context.Context, w io.Writer, name string) error {
	a.Registry.Ready(ctx, a.report)
	held, err := a.Registry.Host.Held(ctx)
	if err != nil {
		return err
	}
	shown := 0
	for _, h := range held {
		if name != "" && name != h.Name && name != h.Server+"/"+h.Name {
			continue
		}
		shown++
		fmt.Fprintf(w, "%s/%s@%s %s\n", h.Server, h.Name, h.Hash, h.Why)
		fmt.Fprintln(w, udiff.Unified("approved", "offered", h.Approved+"\n", h.Offered+"\n"))
	}
	if shown == 0 {
		if name != "" {
			return fmt.Errorf("tool %q is not waiting for approval", name)
		}
		_, err = fmt.Fprintln(w, "no tool waits for approval")
	}
	return err
}

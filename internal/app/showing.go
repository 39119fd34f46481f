package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/plural"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// maxShownText bounds how much of a description is shown, in characters.
const maxShownText = 2000

// ShowTool prints a tool's description, source, tier and arguments, and an example call.
func (a *App) ShowTool(ctx context.Context, w io.Writer, name string) error {
	tool, ok := a.Registry.Host.Tool(name)
	if !ok { // it can only belong to an external server
		a.Registry.Ready(ctx, a.report)
		tool, ok = a.Registry.Host.Tool(name)
	}
	if !ok {
		return a.unknownTool(fmt.Errorf("%w: %q", mcp.ErrUnknownTool, name), name)
	}
	fmt.Fprintf(w, "%s\n  %s\n\n", name, strings.ReplaceAll(untrusted.Clean(tool.Definition.Description, maxShownText), "\n", "\n  "))
	if err := writePlace(w, a.Registry.Host.Status(), name, &tool); err != nil {
		return err
	}
	_, s, _ := mcphost.CompileForeign(tool.Definition.Parameters)
	if err := writeArguments(w, tool.Definition.Parameters, s.Properties()); err != nil {
		return err
	}
	example, _, err := s.MakeInput()
	if probe := string(tool.Probe); probe != "" {
		example, err = probe, nil
	}
	if err != nil {
		fmt.Fprintln(w, "\nThere is no example, because its arguments are too special to make up.")
		return nil
	}
	fmt.Fprintf(w, "\nglyphoxa tools call %s '%s'\n", name, strings.ReplaceAll(untrusted.Clean(example, maxShownText), "'", `'\''`))
	return nil
}

// unknownTool adds a hint to an error about an unknown tool.
func (a *App) unknownTool(err error, name string) error {
	var known []string
	for _, s := range a.Registry.Host.Status() {
		known = append(known, s.Name)
	}
	hint := "glyphoxa tools lists all tools"
	var absent []string
	for _, s := range a.Registry.Host.Servers() {
		if s.State == "connecting" || s.State == "down" {
			absent = append(absent, s.Name)
		}
	}
	if near := userfile.Nearest(name, known); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	} else if len(absent) > 0 {
		hint = "it may belong to a server that does not answer: " + strings.Join(absent, ", ") + "; glyphoxa doctor says why"
	}
	return fmt.Errorf("%w; %s", err, hint)
}

// writePlace prints a tool's source, state and speed.
func writePlace(w io.Writer, all []mcphost.Status, name string, tool *mcphost.Tool) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "source\t%s\n", tool.Source)
	if i := slices.IndexFunc(all, func(s mcphost.Status) bool { return s.Name == name }); i >= 0 {
		s := all[i]
		fmt.Fprintf(tw, "state\t%s\ntier\t%s, %s\n", s.State, s.Tier, untrusted.Line(s.TierReason, maxShownText))
		if s.Samples > 0 {
			fmt.Fprintf(tw, "measured\tP50 %s, P99 %s, %.0f %% errors in %s\n", mcp.MillisText(s.P50), mcp.MillisText(s.P99), 100*s.ErrorRate, plural.Count(s.Samples, "call", "calls"))
		}
		for _, what := range s.LeftOut {
			fmt.Fprintf(tw, "used without\t%s\n", untrusted.Line(what, maxShownText))
		}
		if s.DeclaredP50 > 0 {
			fmt.Fprintf(tw, "declared\t%s\n", mcp.MillisText(s.DeclaredP50))
		}
	}
	fmt.Fprintf(tw, "deadline\t%s\n", tool.Deadline)
	return tw.Flush()
}

// writeArguments prints a tool's arguments, one on each line, the required ones first.
func writeArguments(w io.Writer, parameters map[string]any, properties map[string]*jsonschema.Schema) error {
	if len(properties) == 0 {
		_, err := fmt.Fprintln(w, "\nIt takes no arguments.")
		return err
	}
	needed := requiredOf(parameters)
	names := slices.Sorted(maps.Keys(properties))
	slices.SortStableFunc(names, func(a, b string) int {
		return indexOrLast(needed, a) - indexOrLast(needed, b)
	})
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "\nARGUMENT\tTYPE\tNEEDED\tWHAT")
	for _, name := range names {
		p, must := properties[name], ""
		if slices.Contains(needed, name) {
			must = "yes"
		}
		what := p.Description
		if len(p.Enum) > 0 {
			values, err := json.Marshal(p.Enum)
			if err != nil {
				return err
			}
			what = strings.TrimSpace(what + " One of " + string(values))
		}
		kind := p.Type
		if kind == "" {
			kind = strings.Join(p.Types, " or ")
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", untrusted.Line(name, 100), kind, must, untrusted.Line(what, maxShownText))
	}
	return tw.Flush()
}

func indexOrLast(all []string, one string) int {
	if i := slices.Index(all, one); i >= 0 {
		return i
	}
	return len(all)
}

// requiredOf returns the names of the required arguments in a schema, in either form in which it may be
// decoded.
func requiredOf(parameters map[string]any) []string {
	switch all := parameters["required"].(type) {
	case []string:
		return all
	case []any:
		var names []string
		for _, one := range all {
			if name, ok := one.(string); ok {
				names = append(names, name)
			}
		}
		return names
	}
	return nil
}

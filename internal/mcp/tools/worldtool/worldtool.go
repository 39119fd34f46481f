// Package worldtool provides tools to look at and change the live world: place_entity, move_entity,
// update_entity, remove_entity, relate_entities, set_scene and describe_scene.
//
//	for _, t := range worldtool.NewTools(w, index) {
//		// Register t with the host.
//	}
//
// A caller who sees only part of the world can neither change the rest nor learn about it. Changes take
// effect when an NPC's turn is committed, and subscribers of the world see them at once.
//
// The tool investigate follows a question over several hops through the session log, the known facts, the
// world and the rules, and reports its findings with sources (files investigation*.go). It has no
// permissions and no data of its own. It calls the other tools through its caller's door, so that it finds
// only what the caller may find, and nothing if the caller has none of those tools.
package worldtool

import (
	"context"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// Limits on input and output, in characters and in items.
const (
	maxID          = 64
	maxName        = 200
	maxDescription = 4000
	maxBlurb       = 300
	maxNote        = 500
	maxScene       = 8000
	maxAliases     = 20
	maxAttributes  = 64
	maxKnown       = 100
	defaultShown   = 50
	maxShown       = 200
)

// Permissions and latencies that the tools share. Writing waits for the disk.
const (
	permRead  = "world.read"
	permWrite = "world.write"

	readP50, readMax   = 20, 500
	writeP50, writeMax = 60, 5000
)

// toolset holds the world and the index that the handlers use.
type toolset struct {
	world *world.World
	index memory.Index
}

// NewTools returns the world tools, ready for registration with the host. If index is nil, search_facts does
// not find entity descriptions.
func NewTools(w *world.World, index memory.Index) []tools.Tool {
	t := &toolset{world: w, index: index}
	return []tools.Tool{
		t.placeEntity(), t.moveEntity(), t.updateEntity(), t.removeEntity(),
		t.relateEntities(), t.setScene(), t.describeScene(),
	}
}

// writing returns a tool with the properties that all tools which change the world share.
func writing(d llm.ToolDefinition, title string, output map[string]any, h tools.Handler) tools.Tool {
	d.EstimatedDurationMs, d.MaxDurationMs = writeP50, writeMax
	return tools.Writing(tools.Tool{
		Definition: d, Handler: h, Title: title, OutputSchema: output, Permission: permWrite, Floor: mcp.BudgetFast,
	})
}

func viewer(ctx context.Context) string { return mcp.CallerFrom(ctx).Viewer() }

// tidy makes text suitable for models and people. It removes invisible characters and terminal control
// sequences, and truncates the text to most characters.
func tidy(s string, most int) string { return strings.TrimSpace(untrusted.Clean(s, most)) }

func tidyAll(all []string) []string {
	var out []string
	for _, s := range all {
		if s = tidy(s, maxName); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func tidyMap(m map[string]string) map[string]string {
	var out map[string]string
	for k, v := range m {
		if k = tidy(k, maxName); k != "" {
			if out == nil {
				out = make(map[string]string, len(m))
			}
			out[k] = tidy(v, maxNote)
		}
	}
	return out
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", mcp.ErrInvalidArguments, fmt.Sprintf(format, args...))
}

// change makes one change and emits event, which is also recorded as its cause.
func (t *toolset) change(ctx context.Context, event string, do func(*world.Tx) error) (uint64, error) {
	seq, err := t.world.Change(ctx, event, do)
	if err != nil {
		return 0, err
	}
	mcp.Emit(ctx, event)
	return seq, nil
}

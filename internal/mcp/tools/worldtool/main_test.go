package worldtool_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.uber.org/goleak"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/worldtool"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}

// village is a world with a secret: only the mayor knows the cult, its lair and Bartok's
// part in it.
type village struct {
	t     testing.TB
	store *sqlite.Store
	world *world.World
	tools map[string]tools.Tool
}

// The secrets must never appear in a result for anyone but the mayor.
const secret = "Xyzzy"

func settled(t testing.TB) *village {
	t.Helper()
	ctx := context.Background()
	store, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "a.db"), nil)
	must(t, "opening the store", err)
	t.Cleanup(func() { must(t, "closing the store", store.Close()) })
	hidden := []string{"mayor"}
	must(t, "Change", store.Change(ctx, memory.Batch{
		Put: []memory.Entity{
			{ID: "bartok", Type: "npc", Name: "Bartok the Barkeep", Aliases: []string{"Bart"}, Description: "A halfling.",
				Attributes: map[string]string{"mood": "good", "race": "halfling"}, Position: &memory.Position{1, 2, 3}},
			{ID: "mayor", Type: "npc", Name: "The Mayor"},
			{ID: "flagon", Type: "location", Name: "Rusty Flagon"},
			{ID: "mill", Type: "location", Name: "Mill", Position: &memory.Position{50, 0, 0}},
			{ID: "twin-1", Type: "npc", Name: "Twin"},
			{ID: "twin-2", Type: "npc", Name: "Twin"},
			{ID: "cult", Type: "faction", Name: secret + " Cult", Description: secret, Visible: hidden, Position: &memory.Position{1, 1, 1}},
			{ID: "lair", Type: "location", Name: secret + " Lair", Visible: hidden},
		},
		Relate: []memory.Relation{
			{From: "bartok", Type: memory.LocatedIn, To: "flagon"},
			{From: "bartok", Type: "serves", To: "cult"},
			{From: "bartok", Type: "fears", To: "mayor", Note: secret, Visible: hidden},
			{From: "mayor", Type: memory.LocatedIn, To: "lair"},
			{From: "bartok", Type: "knows", To: "mayor", Note: "from childhood"},
		},
	}))
	v := &village{t: t, store: store, tools: map[string]tools.Tool{}}
	v.world, err = world.Open(ctx, store, world.Options{Scene: "Night."})
	must(t, "opening the world", err)
	for _, x := range worldtool.NewTools(v.world, store) {
		v.tools[x.Definition.Name] = x
	}
	return v
}

// Callers.
var (
	operator = mcp.Caller{}
	bartok   = mcp.Caller{NPC: "bartok"}
	mayor    = mcp.Caller{NPC: "mayor"}
	client   = mcp.Caller{Client: "c", Sees: memory.Anyone}
)

// try calls a tool and returns its result and the events it emitted.
func (v *village) try(who mcp.Caller, tool, args string) (map[string]any, []string, error) {
	v.t.Helper()
	var events mcp.Events
	ctx := mcp.WithEvents(mcp.WithCaller(context.Background(), who), &events)
	out, err := v.tools[tool].Handler(ctx, args)
	if err != nil {
		return nil, events.Names(), err
	}
	fits(v.t, v.tools[tool].OutputSchema, out)
	if who.Viewer() != "" && who.NPC != "mayor" && strings.Contains(out, secret) {
		v.t.Errorf("%s %s tells %s: %s", tool, args, who.Name(), out)
	}
	var answer map[string]any
	must(v.t, "decoding the answer", json.Unmarshal([]byte(out), &answer))
	return answer, events.Names(), nil
}

func (v *village) call(who mcp.Caller, tool, args string) map[string]any {
	v.t.Helper()
	fits(v.t, v.tools[tool].Definition.Parameters, args)
	answer, _, err := v.try(who, tool, args)
	must(v.t, tool+" "+args, err)
	return answer
}

// refused checks that a call is refused with a message and changes nothing.
func (v *village) refused(who mcp.Caller, tool, args, says string) {
	v.t.Helper()
	before := v.world.Seq()
	_, events, err := v.try(who, tool, args)
	if !errors.Is(err, mcp.ErrInvalidArguments) || !strings.Contains(err.Error(), says) {
		v.t.Errorf("%s %s: %v, want ErrInvalidArguments that says %q", tool, args, err, says)
	}
	if err != nil && who.Viewer() != "" && who.NPC != "mayor" && strings.Contains(err.Error(), secret) {
		v.t.Errorf("%s %s: %v tells what %s may not know", tool, args, err, who.Name())
	}
	if len(events) > 0 || v.world.Seq() != before {
		v.t.Errorf("%s %s: events %q, change %d after %d; want nothing done", tool, args, events, v.world.Seq(), before)
	}
}

func fits(t testing.TB, schema map[string]any, text string) {
	t.Helper()
	raw, err := json.Marshal(schema)
	must(t, "encoding schema", err)
	var s jsonschema.Schema
	must(t, "decoding schema", json.Unmarshal(raw, &s))
	resolved, err := s.Resolve(nil)
	must(t, "resolving schema", err)
	var value any
	must(t, "decoding "+text, json.Unmarshal([]byte(text), &value))
	if err := resolved.Validate(value); err != nil {
		t.Errorf("%s does not fit its schema: %v", text, err)
	}
}

// at follows a path of keys into an answer.
func at(answer map[string]any, path ...string) any {
	var v any = answer
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

package memorytool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

const (
	maxFact  = 2000 // characters
	maxKnown = 100
	maxTopic = 60

	// The embedder may be on a remote server.
	rememberP50, rememberMax = 100, 5000
)

type rememberFactArgs struct {
	Text    string   `json:"text" jsonschema:"The fact in one or two full sentences."`
	About   string   `json:"about,omitempty" jsonschema:"The person, place, faction or item it is about: an id, or a name that only it has."`
	Settles string   `json:"settles,omitempty" jsonschema:"What of it the fact settles, in a word or two, such as home or captain: what was noted of that before is true no longer."`
	Since   string   `json:"since,omitempty" jsonschema:"From which day of the world on it is true, such as yesterday or a date; left out, from now on."`
	KnownBy []string `json:"known_by,omitempty" jsonschema:"Ids of the NPCs that know it."`
}

type rememberFactResult struct {
	Text   string `json:"text"`
	Source string `json:"source"`
	// KnownBy is empty if everyone may find the fact.
	KnownBy []string `json:"known_by,omitempty"`
}

func (t *toolset) rememberFact() tools.Tool {
	return tools.Writing(tools.Tool{
		Definition: llm.ToolDefinition{
			Name: "remember_fact",
			Description: "Note a fact for later, so that search_facts finds it. " +
				"An NPC keeps it to itself unless known_by says otherwise.",
			Parameters: tools.SchemaOf[rememberFactArgs](tools.Bounds{
				"text":     {"minLength": 1, "maxLength": maxFact},
				"known_by": {"minItems": 1, "maxItems": maxKnown, "items": map[string]any{"type": "string", "minLength": 1}},
			}),
			EstimatedDurationMs: rememberP50, MaxDurationMs: rememberMax, Idempotent: true,
		},
		Title: "Remember a fact", Permission: permMemoryWrite, Floor: mcp.BudgetFast,
		KeepsWorld: true, Own: isPrivateFact,
		OutputSchema: tools.SchemaOf[rememberFactResult](nil), Handler: tools.JSON(t.runRememberFact),
	})
}

// isPrivateFact reports whether only the NPC that remembers the fact can find it.
func isPrivateFact(npc, args string) bool {
	var a rememberFactArgs
	return json.Unmarshal([]byte(args), &a) == nil && !slices.ContainsFunc(a.KnownBy, func(id string) bool { return id != npc })
}

func (t *toolset) runRememberFact(ctx context.Context, args rememberFactArgs) (rememberFactResult, error) {
	said := strings.TrimSpace(untrusted.Clean(args.Text, maxFact))
	if said == "" {
		return rememberFactResult{}, fmt.Errorf("%w: text is empty; say what to remember", mcp.ErrInvalidArguments)
	}
	if t.index == nil {
		return rememberFactResult{}, fmt.Errorf("remembering a fact: %w: there is no index to keep it in", mcp.ErrUnavailable)
	}
	caller := mcp.CallerFrom(ctx)
	fact := memory.Fact{Text: said, Source: "notes"}
	if err := t.dateFact(&fact, args); err != nil {
		return rememberFactResult{}, err
	}
	if caller.Session != "" {
		fact.Source = "session:" + caller.Session
	}
	if about := untrusted.Clip(strings.TrimSpace(args.About), maxQuery); about != "" {
		e, err := t.meant(ctx, about)
		if err != nil {
			return rememberFactResult{}, err
		}
		fact.Source, fact.Visible = "entity:"+e.ID, e.Visible
		if fact.Topic != "" {
			fact.Topic = e.ID + " " + fact.Topic
		}
	}
	// A fact with the same source and text is replaced. A caller who sees only part of the world must not
	// replace facts that others noted, so its facts get a source of their own.
	if who := caller.Viewer(); who != "" {
		fact.Source += "#" + who
	}
	if err := restrict(&fact, args.KnownBy, caller); err != nil {
		return rememberFactResult{}, err
	}
	if err := t.index.Remember(ctx, fact); err != nil {
		return rememberFactResult{}, fmt.Errorf("remembering a fact: %w", err)
	}
	mcp.Emit(ctx, "fact.remembered")
	return rememberFactResult{Text: said, Source: fact.Source, KnownBy: fact.Visible}, nil
}

// dateFact sets when a fact was said, since when it is true, and which question it
// settles.
func (t *toolset) dateFact(f *memory.Fact, args rememberFactArgs) error {
	f.Topic = words.Key(untrusted.Clip(args.Settles, maxTopic))
	if t.dates != nil {
		f.Date = t.dates.Today()
	}
	since := strings.TrimSpace(untrusted.Clean(args.Since, maxTopic))
	if since == "" {
		return nil
	}
	if t.dates == nil {
		return fmt.Errorf("%w: since: this campaign has no calendar; leave since out", mcp.ErrInvalidArguments)
	}
	days, _, ok := t.dates.Find(since)
	if !ok {
		return fmt.Errorf("%w: since is %q, which is no day; say a date, or such as yesterday", mcp.ErrInvalidArguments, since)
	}
	f.Since = memory.Date{Day: days.First, Text: t.dates.Write(days.First)}
	return nil
}

// meant returns the entity that a caller refers to by id or name.
func (t *toolset) meant(ctx context.Context, about string) (memory.Entity, error) {
	e, err := t.graph.Entity(ctx, about, viewer(ctx))
	if err == nil || !errors.Is(err, memory.ErrNotFound) {
		return e, err
	}
	n, err := t.byName(ctx, about)
	return n.Entity, err
}

// restrict sets who may find the fact: the listed NPCs if there are any, otherwise only the NPC that notes
// it, otherwise all who know the entity that the fact is about.
func restrict(f *memory.Fact, known []string, caller mcp.Caller) error {
	if slices.ContainsFunc(known, func(id string) bool { return strings.TrimSpace(id) == "" || strings.ContainsRune(id, '\x1f') }) {
		return fmt.Errorf("%w: known_by lists an empty id; give ids of NPCs", mcp.ErrInvalidArguments)
	}
	switch {
	case len(known) > 0 && caller.Viewer() == memory.Anyone:
		return fmt.Errorf("%w: known_by: you find only what everyone knows; leave known_by out", mcp.ErrInvalidArguments)
	case len(known) > 0:
		f.Visible = slices.Clone(known)
		if who := caller.Viewer(); who != "" && !slices.Contains(known, who) {
			f.Visible = append(f.Visible, who)
		}
	case caller.NPC != "":
		f.Visible = []string{caller.NPC}
	}
	return nil
}

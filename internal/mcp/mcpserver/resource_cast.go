package mcpserver

import (
	"context"
	"errors"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

type castDoc struct {
	Count int       `json:"count"`
	NPCs  []npcCard `json:"npcs"`
}

type npcCard struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Aliases []string `json:"aliases,omitempty"`
	URI     string   `json:"uri"`
}

func cardOfNPC(n config.NPC) npcCard {
	return npcCard{n.ID, name(n.Name), names(n.Aliases), NPCURI(n.ID)}
}

func (l *Library) cast(ctx context.Context, v LibraryView) (castDoc, error) {
	cast, err := l.visibleNPCs(ctx, v)
	doc := castDoc{Count: len(cast), NPCs: make([]npcCard, len(cast))}
	for i, n := range cast {
		doc.NPCs[i] = cardOfNPC(n)
	}
	return doc, err
}

// npcDoc is the public description of an NPC. It only counts secret knowledge, and omits the NPC's technical
// configuration (engine, voice, files).
type npcDoc struct {
	npcCard
	Personality    string         `json:"personality,omitempty"`
	BehaviorRules  []string       `json:"behavior_rules,omitempty"`
	KnowledgeScope []string       `json:"knowledge_scope,omitempty"`
	Language       string         `json:"language,omitempty"`
	BudgetTier     mcp.BudgetTier `json:"budget_tier"`
	// Tools are the NPC's tools that the view may see.
	Tools []string `json:"tools,omitempty"`
	// Secrets counts the entries of the NPC's secret knowledge.
	Secrets int `json:"secrets"`
}

func (l *Library) npc(ctx context.Context, v LibraryView, id string) (npcDoc, error) {
	n, err := l.NPC(ctx, v, id)
	if err != nil {
		return npcDoc{}, err
	}
	doc := npcDoc{
		npcCard: cardOfNPC(n), Personality: untrusted.Clean(n.Personality, maxText),
		BehaviorRules: texts(n.BehaviorRules), KnowledgeScope: texts(n.KnowledgeScope),
		Language: name(n.Voice.Language), BudgetTier: n.BudgetTier, Secrets: len(n.SecretKnowledge),
	}
	for _, t := range n.Tools {
		if v.tool(t) {
			doc.Tools = append(doc.Tools, t)
		}
	}
	return doc, nil
}

func texts(all []string) []string {
	all, _ = cut(all, maxList)
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = untrusted.Clean(s, maxText)
	}
	return out
}

// NPC returns an NPC of the cast with its whole configuration, including secrets. The caller decides what
// leaves the process. The error is [ErrUnknownResource] if v may not see the NPC.
func (l *Library) NPC(ctx context.Context, v LibraryView, id string) (config.NPC, error) {
	if !l.isOpen(v, npcsShelf) {
		return config.NPC{}, ErrUnknownResource
	}
	for _, n := range l.src.NPCs {
		if n.ID != id {
			continue
		}
		seen, err := l.sees(ctx, v, id)
		if err != nil {
			return config.NPC{}, err
		}
		if seen {
			return n, nil
		}
	}
	return config.NPC{}, ErrUnknownResource
}

// visibleNPCs returns the NPCs that v may see, in the order of the cast.
func (l *Library) visibleNPCs(ctx context.Context, v LibraryView) ([]config.NPC, error) {
	var out []config.NPC
	for _, n := range l.src.NPCs {
		seen, err := l.sees(ctx, v, n.ID)
		if err != nil {
			return nil, err
		}
		if seen {
			out = append(out, n)
		}
	}
	return out, nil
}

// sees reports whether v may know of an NPC. An NPC that the world hides from the viewer is hidden here too;
// an NPC always knows of itself.
func (l *Library) sees(ctx context.Context, v LibraryView, id string) (bool, error) {
	if v.Viewer == "" || v.Viewer == id || l.src.Graph == nil {
		return true, nil
	}
	_, err := l.src.Graph.Entity(ctx, id, v.Viewer)
	if !errors.Is(err, memory.ErrNotFound) {
		return err == nil, err
	}
	_, err = l.src.Graph.Entity(ctx, id, "")
	if errors.Is(err, memory.ErrNotFound) {
		return true, nil // the world does not mention the NPC
	}
	return false, err
}

type latencyDoc struct {
	Tools []toolLatency `json:"tools"`
}

type toolLatency struct {
	Name   string         `json:"name"`
	Source string         `json:"source"`
	State  string         `json:"state"`
	Tier   mcp.BudgetTier `json:"tier"`
	// Times are in milliseconds; P50 and P99 are 0 without a successful call.
	DeclaredP50 float64 `json:"declared_p50_ms"`
	P50         float64 `json:"p50_ms"`
	P99         float64 `json:"p99_ms"`
	ErrorRate   float64 `json:"error_rate"`
	Samples     int     `json:"samples"`
}

// latency describes the tools that v may see. It omits held tools and those of servers that are down, because
// their names may by now belong to other tools.
func (l *Library) latency(v LibraryView) latencyDoc {
	doc := latencyDoc{Tools: []toolLatency{}}
	for _, s := range l.src.Latency() {
		if s.State == "held" || s.State == "down" || !v.tool(s.Name) {
			continue
		}
		doc.Tools = append(doc.Tools, toolLatencyOf(s))
	}
	return doc
}

func toolLatencyOf(s mcphost.Status) toolLatency {
	return toolLatency{s.Name, s.Source, s.State, s.Tier, s.DeclaredP50, s.P50, s.P99, s.ErrorRate, s.Samples}
}

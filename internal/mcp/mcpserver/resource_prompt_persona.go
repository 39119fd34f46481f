package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// mayControlNPCs is a permission of the dungeon master, who may know secrets.
	mayControlNPCs = "npc.control"

	maxPersonality  = 8000 // characters
	maxRule         = 1000 // characters
	maxItems        = 50   // entries of a list
	maxAround       = 12   // connected entities in a prompt
	maxPersonaBlurb = 300  // characters
	maxSuggestions  = 10
)

func (b *PromptLibrary) npcPersona() recipe {
	return recipe{
		name: "npc_persona", title: "Play an NPC",
		description: "Lets a model speak as one of the NPCs.",
		needs:       NPCTemplate,
		arguments: []argument{
			{name: "npc", title: "NPC", description: "Id or name of the NPC to play.", required: true, template: NPCTemplate},
		},
		build: b.buildPersona,
	}
}

func (b *PromptLibrary) buildPersona(ctx context.Context, v LibraryView, args map[string]string) ([]*sdk.PromptMessage, error) {
	npc, err := b.findNPC(ctx, v, args["npc"])
	if err != nil {
		return nil, err
	}
	around, err := b.around(ctx, v, npc.ID)
	if err != nil {
		return nil, err
	}
	var w strings.Builder
	fmt.Fprintf(&w, "Play %s, a character in a tabletop role-playing game, until I say that the scene is over. What I write from now on is what the players say.\n", personaLine(npc.Name))
	if npc.Personality != "" {
		fmt.Fprintf(&w, "\nWho you are:\n%s\n", quote(untrusted.Clean(npc.Personality, maxPersonality)))
	}
	if npc.Place != "" {
		fmt.Fprintf(&w, "\nWhere you usually are: %s\n", personaLine(npc.Place))
	}
	addList(&w, "How you behave:", npc.BehaviorRules)
	addList(&w, "What you know a lot about:", npc.KnowledgeScope)
	if v.Holds(mayControlNPCs) {
		addList(&w, "What you know and keep to yourself; asked about it, turn the question aside, without a lie that gives it away:", npc.Secrets())
	}
	addList(&w, "Who and what is around you, as far as you know:", around)
	if scene := b.scene(v); scene != "" {
		fmt.Fprintf(&w, "\nWhat the players were told of the scene, in which \"you\" are they:\n%s\n", quote(scene))
	}
	w.WriteString(`
How you answer:
- In the first person, in one to four short sentences that sound natural when spoken aloud.
- With spoken words only: no stage directions, no lists, no name in front.
- When you do not know something, say so in character instead of inventing it.
- ` + quotedNotice + "\n")
	if npc.Voice.Language != "" {
		fmt.Fprintf(&w, "- In the language you are spoken to; if in doubt, in %q.\n", personaLine(npc.Voice.Language))
	}
	messages := []*sdk.PromptMessage{messageOf("user", w.String())}
	if greetings := npc.Lines["greeting"]; len(greetings) > 0 {
		messages = append(messages, messageOf("assistant", untrusted.Clean(greetings[0], maxRule)))
	}
	return messages, nil
}

// findNPC returns the NPC with an id, a name or an alias.
func (b *PromptLibrary) findNPC(ctx context.Context, v LibraryView, who string) (config.NPC, error) {
	for _, n := range b.src.NPCs {
		called := append([]string{n.ID, n.Name}, n.Aliases...)
		if !slices.ContainsFunc(called, func(s string) bool { return strings.EqualFold(s, who) }) {
			continue
		}
		npc, err := b.lib.NPC(ctx, v, n.ID)
		if !errors.Is(err, ErrUnknownResource) {
			return npc, err
		}
	}
	ids, _, err := b.lib.Complete(ctx, v, NPCTemplate, "id", "")
	if err != nil {
		return config.NPC{}, err
	}
	if len(ids) == 0 {
		return config.NPC{}, invalidPrompt("there is no NPC %q, nor any other", short(who))
	}
	return config.NPC{}, invalidPrompt("there is no NPC %q; there is %s", short(who), strings.Join(ids[:min(len(ids), maxSuggestions)], ", "))
}

// around describes the entities connected to an NPC that both the NPC and the view know.
func (b *PromptLibrary) around(ctx context.Context, v LibraryView, npc string) ([]string, error) {
	if !b.lib.Offers(v, EntityURI(npc)) {
		return nil, nil
	}
	viewer := v.Viewer
	if viewer == "" {
		viewer = npc
	}
	near, err := b.src.Graph.Neighbours(ctx, npc, viewer, 1)
	if errors.Is(err, memory.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	known := map[string]string{} // id → the relation
	for _, r := range near.Relations {
		if !knows(npc, r.Visible) {
			continue
		}
		how := strings.ReplaceAll(personaLine(r.Type), "_", " ")
		switch npc {
		case r.From:
			known[r.To] = "you → " + how
		case r.To:
			known[r.From] = how + " → you"
		}
	}
	var out []string
	for _, e := range near.Connected {
		how, ok := known[e.ID]
		if !ok || !knows(npc, e.Visible) || len(out) == maxAround {
			continue
		}
		out = append(out, fmt.Sprintf("%s (%s; %s): %s", personaLine(e.Name), personaLine(e.Type), how, personaLine(e.Description)))
	}
	return out, nil
}

// knows reports whether an NPC may know something with this visibility.
func knows(npc string, visible []string) bool {
	return len(visible) == 0 || slices.Contains(visible, npc)
}

// scene returns the scene's text, or "" if v may not know it.
func (b *PromptLibrary) scene(v LibraryView) string {
	if !b.lib.Offers(v, SceneURI()) {
		return ""
	}
	return strings.TrimSpace(untrusted.Clean(b.src.Scene(), maxPersonality))
}

// addList writes a heading and its items. It writes nothing if there are no items.
func addList(w *strings.Builder, heading string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", heading)
	for _, item := range items[:min(len(items), maxItems)] {
		fmt.Fprintf(w, "- %s\n", untrusted.Line(item, maxRule))
	}
}

// personaLine cleans text for use within a line of ours.
func personaLine(s string) string { return untrusted.Line(s, maxPersonaBlurb) }

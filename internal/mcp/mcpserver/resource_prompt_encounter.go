package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

const (
	maxLevel = 20
	maxParty = 12
	maxPlace = 4 // entities attached beside the place itself
)

func difficulties() []string { return []string{"easy", "medium", "hard", "deadly"} }

func (b *PromptLibrary) encounterBuilder() recipe {
	return recipe{
		name: "encounter_builder", title: "Build an encounter",
		description: "Designs an encounter for the party, set in the world as it is.",
		needs:       EntityTemplate,
		arguments: []argument{
			{name: "level", title: "Level", description: "Level of the characters, 1 to 20.", required: true, values: upTo(maxLevel)},
			{name: "party_size", title: "Party size", description: "Number of characters, 1 to 12.", required: true, values: upTo(maxParty)},
			{name: "difficulty", title: "Difficulty", description: "easy, medium, hard or deadly; medium if missing.", values: difficulties()},
			{name: "place", title: "Place", description: "Id or name of where it happens; the present scene if missing.", template: EntityTemplate},
		},
		build: b.buildEncounter,
	}
}

func (b *PromptLibrary) buildEncounter(ctx context.Context, v LibraryView, args map[string]string) ([]*sdk.PromptMessage, error) {
	level, err := readNumber(args, "level", maxLevel)
	if err != nil {
		return nil, err
	}
	party, err := readNumber(args, "party_size", maxParty)
	if err != nil {
		return nil, err
	}
	difficulty := strings.ToLower(args["difficulty"])
	if difficulty == "" {
		difficulty = "medium"
	}
	if !slices.Contains(difficulties(), difficulty) {
		return nil, invalidPrompt("difficulty %q is none of %s", short(difficulty), strings.Join(difficulties(), ", "))
	}
	messages, err := b.setting(ctx, v, args["place"])
	if err != nil {
		return nil, err
	}
	system := ""
	if b.src.System != "" {
		system = " for the rule system " + personaLine(b.src.System)
	}
	return append(messages, messageOf("user", fmt.Sprintf(`Design one encounter%s for a party of %d at level %d. It should be %s.

Give:
1. What the players notice first, in two or three sentences to read aloud.
2. Who or what opposes them, how many, and what each of them wants.
3. What in the place can be used by either side.
4. How it can end without a fight, and what follows from winning, losing and walking away.

- Use the people, places and things of the documents where they fit; invent others only where they do not.
- %s
`, system, party, level, difficulty, attached))), nil
}

// setting attaches the place and some of its connected entities, or the scene if no place is given.
func (b *PromptLibrary) setting(ctx context.Context, v LibraryView, place string) ([]*sdk.PromptMessage, error) {
	if place == "" {
		if !b.lib.Offers(v, SceneURI()) {
			return nil, nil
		}
		scene, err := b.attach(ctx, v, SceneURI())
		return []*sdk.PromptMessage{scene}, err
	}
	id, err := b.findEntity(ctx, v, place)
	if err != nil {
		return nil, err
	}
	if id == "" {
		return nil, b.noPlace(ctx, v, place)
	}
	near, err := b.src.Graph.Neighbours(ctx, id, v.Viewer, 1)
	if err != nil && !errors.Is(err, memory.ErrNotFound) { // it was removed just now
		return nil, err
	}
	uris := []string{EntityURI(id)}
	for _, e := range near.Connected[:min(len(near.Connected), maxPlace)] {
		uris = append(uris, EntityURI(e.ID))
	}
	return b.attachAll(ctx, v, uris)
}

// findEntity returns the id of the entity with an id or a name, or "" if v sees none. A name matches if all
// its words are in what, or the other way round.
func (b *PromptLibrary) findEntity(ctx context.Context, v LibraryView, what string) (string, error) {
	e, err := b.src.Graph.Entity(ctx, what, v.Viewer)
	if err == nil || !errors.Is(err, memory.ErrNotFound) {
		return e.ID, err
	}
	found, err := b.src.Graph.FindEntities(ctx, memory.EntityQuery{Name: what, Exact: true, Viewer: v.Viewer})
	if err != nil {
		return "", err
	}
	asked := words.Split(what)
	for _, e := range found {
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			if called := words.Split(name); within(called, asked) || within(asked, called) {
				return e.ID, nil
			}
		}
	}
	return "", nil
}

// within reports whether all words in some are among others. It is false if some is empty.
func within(some, others []string) bool {
	return len(some) > 0 && !slices.ContainsFunc(some, func(w string) bool { return !slices.Contains(others, w) })
}

// noPlace is the error for an unknown place. It suggests similar places that v can see.
func (b *PromptLibrary) noPlace(ctx context.Context, v LibraryView, place string) error {
	near, err := b.src.Graph.FindEntities(ctx, memory.EntityQuery{Name: place, Viewer: v.Viewer, Limit: maxSuggestions})
	if err != nil {
		return err
	}
	if len(near) == 0 {
		return invalidPrompt("there is no place %q; %s lists what there is", short(place), EntitiesURI())
	}
	ids := make([]string, len(near))
	for i, e := range near {
		ids[i] = e.ID
	}
	return invalidPrompt("there is no place %q; near to it are %s", short(place), strings.Join(ids, ", "))
}

// readNumber parses an argument between 1 and most.
func readNumber(args map[string]string, name string, most int) (int, error) {
	n, err := strconv.Atoi(args[name])
	if err != nil || n < 1 || n > most {
		return 0, invalidPrompt("%s is %q, want a whole number from 1 to %d", name, short(args[name]), most)
	}
	return n, nil
}

// upTo lists the numbers from 1 to n.
func upTo(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i + 1)
	}
	return out
}

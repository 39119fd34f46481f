package mcpserver

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func (b *PromptLibrary) sceneDescription() recipe {
	return recipe{
		name: "scene_description", title: "Describe the scene",
		description: "Describes what the players see, hear and smell right now.",
		needs:       SceneURI(),
		arguments: []argument{
			{name: "mood", title: "Mood", description: "How it should feel, such as eerie or festive."},
			{name: "focus", title: "Focus", description: "What to dwell on: a person, a place, a thing, or anything else."},
		},
		build: b.buildScene,
	}
}

func (b *PromptLibrary) buildScene(ctx context.Context, v LibraryView, args map[string]string) ([]*sdk.PromptMessage, error) {
	uris := []string{SceneURI()}
	if args["focus"] != "" && b.lib.Offers(v, EntityTemplate) {
		id, err := b.findEntity(ctx, v, args["focus"])
		if err != nil {
			return nil, err
		}
		if id != "" {
			uris = append(uris, EntityURI(id))
		}
	}
	messages, err := b.attachAll(ctx, v, uris)
	if err != nil {
		return nil, err
	}
	var w strings.Builder
	w.WriteString("Describe the present scene to the players, in the second person and the present tense, in at most 120 words to be read aloud.\n")
	addQuestion(&w, "The mood to aim for:", args["mood"])
	addQuestion(&w, "What to dwell on:", args["focus"])
	w.WriteString(`
- Use more senses than sight. Say nothing of what the characters think, feel or do.
- Keep to what the documents tell; add only small things that change nothing.
- ` + attached + "\n")
	if args["mood"] != "" || args["focus"] != "" {
		w.WriteString("- " + quotedNotice + "\n")
	}
	return append(messages, messageOf("user", w.String())), nil
}

// addQuestion writes a heading and the client's text. It writes nothing if the text is empty.
func addQuestion(w *strings.Builder, heading, text string) {
	if text != "" {
		fmt.Fprintf(w, "\n%s\n%s\n", heading, quote(text))
	}
}

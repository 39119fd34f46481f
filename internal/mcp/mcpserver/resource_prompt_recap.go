package mcpserver

import (
	"context"
	"errors"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func (b *PromptLibrary) sessionRecap() recipe {
	return recipe{
		name: "session_recap", title: "Recap a session",
		description: "Retells what happened in a session, from its transcript.",
		needs:       SessionTemplate,
		arguments: []argument{
			{name: "session", title: "Session", description: "Id of the session; the latest in which anything was said if missing.", template: SessionTemplate},
		},
		build: b.buildRecap,
	}
}

func (b *PromptLibrary) buildRecap(ctx context.Context, v LibraryView, args map[string]string) ([]*sdk.PromptMessage, error) {
	latest, err := b.latestSession(ctx)
	if err != nil {
		return nil, err
	}
	id := args["session"]
	if id == "" {
		id = latest
	}
	if id == "" {
		return nil, invalidPrompt("there is no session yet")
	}
	transcript, err := b.attach(ctx, v, TranscriptURI(id))
	if errors.Is(err, ErrUnknownResource) {
		return nil, invalidPrompt("there is no session %q; the latest is %q", short(id), latest)
	}
	if err != nil {
		return nil, err
	}
	return []*sdk.PromptMessage{transcript, messageOf("user", `Tell the players at the start of the next evening what happened in this session.

- Keep to what was said; invent nothing, and leave out what is said about the game rather than in it.
- Tell it in the past tense, in the order it happened, in at most 200 words.
- Name who did what. End with what is still open.
- `+attached+"\n")}, nil
}

// latestSession returns the id of the newest session with any lines, else of the newest session, or "" if
// there is none.
func (b *PromptLibrary) latestSession(ctx context.Context) (string, error) {
	all, err := b.src.Log.Sessions(ctx, 0)
	if err != nil || len(all) == 0 {
		return "", err
	}
	return all[max(0, slices.IndexFunc(all, func(s memory.Session) bool { return s.Lines > 0 }))].ID, nil
}

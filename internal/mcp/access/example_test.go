package access_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

func Example() {
	e, err := access.New(access.Options{Rules: []config.Rule{
		{Name: "no-bot-moves", Kind: config.RuleToolRestriction, Who: []string{"bot-*"}, Tools: []string{"move_*"}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	builder, _ := e.Profile("builder.readWrite")
	move := mcp.Target{Tool: "move_entity", Source: "builtin", Permission: access.WorldWrite}
	for _, name := range []string{"ann", "bot-1"} {
		ctx := access.WithSubject(context.Background(), &access.Subject{Name: name, Profile: builder})
		err := e.Admit(ctx, &mcp.Call{Target: move, Args: `{"id":"bart"}`})
		var no *mcp.Refusal
		if errors.As(err, &no) {
			fmt.Printf("%s: %s by %s\n", name, no.Code, no.Rule)
			continue
		}
		fmt.Printf("%s: allowed\n", name)
	}
	// Output:
	// ann: allowed
	// bot-1: forbidden by no-bot-moves
}

package mcpserver_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
)

func ExamplePromptLibrary_Get() {
	book := mcpserver.NewPromptLibrary(mcpserver.LibrarySources{NPCs: []config.NPC{{ID: "mira", Name: "Mira the Ferrywoman"}}})
	v := mcpserver.LibraryView{May: func(permission string) bool { return permission == "npc.read" }}

	for _, p := range book.List(v) {
		fmt.Println(p.Name, p.Arguments[0].Name)
	}
	_, err := book.Get(context.Background(), v, "npc_persona", nil)
	fmt.Println(err)
	fmt.Println(errors.Is(err, mcp.ErrInvalidArguments))
	// Output:
	// npc_persona npc
	// invalid arguments: argument "npc" of npc_persona is missing: Id or name of the NPC to play.
	// true
}

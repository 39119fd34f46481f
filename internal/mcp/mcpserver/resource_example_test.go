package mcpserver_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

func ExampleLibrary_Read() {
	lib := mcpserver.NewLibrary(mcpserver.LibrarySources{
		Campaign: "Thornhollow",
		NPCs:     []config.NPC{{ID: "mira", Name: "Mira", SecretKnowledge: []config.KeptSecret{{Text: "The old jetty is hollow."}}}},
	})
	player := mcpserver.LibraryView{Viewer: memory.Anyone, May: func(permission string) bool { return permission == "npc.read" }}

	res, err := lib.Read(context.Background(), player, "glyphoxa://npcs/mira")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Contents[0].Text)

	_, err = lib.Read(context.Background(), player, "glyphoxa://campaign")
	fmt.Println(errors.Is(err, mcpserver.ErrUnknownResource))
	// Output:
	// {"id":"mira","name":"Mira","uri":"glyphoxa://npcs/mira","budget_tier":"fast","secrets":1}
	// true
}

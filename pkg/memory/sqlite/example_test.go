package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/wordvectors"
)

func Example() {
	if err := remember(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Ada: Who stole the silver crown?
	// bartok knows: The crown lay in the temple.
	// mayor knows: The mayor stole the crown.
}

func remember(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "glyphoxa")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	store, err := sqlite.Open(ctx, filepath.Join(dir, "glyphoxa.db"), &sqlite.Options{Embedder: wordvectors.New()})
	if err != nil {
		return err
	}
	defer store.Close()

	session, err := store.StartSession(ctx, "Eldermoor")
	if err != nil {
		return err
	}
	if _, err := store.Append(ctx, memory.Line{Session: session.ID, Speaker: "Ada", Text: "Who stole the silver crown?"}); err != nil {
		return err
	}
	lines, err := store.SearchLines(ctx, memory.LineQuery{Text: "crown"})
	if err != nil {
		return err
	}
	fmt.Printf("%s: %s\n", lines[0].Speaker, lines[0].Text)

	err = store.Remember(ctx,
		memory.Fact{Source: "entity:crown", Text: "The crown lay in the temple."},
		memory.Fact{Source: "entity:mayor", Text: "The mayor stole the crown.", Visible: []string{"mayor"}})
	if err != nil {
		return err
	}
	for _, npc := range []string{"bartok", "mayor"} {
		facts, err := store.SearchFacts(ctx, "who stole the crown", npc, 1)
		if err != nil {
			return err
		}
		fmt.Printf("%s knows: %s\n", npc, facts[0].Text)
	}
	return nil
}

package world_test

import (
	"context"
	"fmt"
	"log"

	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// A subscriber gets a snapshot of the visible entities and then the changes.
func Example() {
	ctx := context.Background()
	w, err := world.Open(ctx, newShelf(), world.Options{Scene: "Night."})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := w.Put(ctx, memory.Entity{ID: "lute", Name: "The Lute", Position: &memory.Position{0, 0, 0}}, "entity.placed"); err != nil {
		log.Fatal(err)
	}
	s, err := w.Subscribe(world.Filter{Viewer: memory.Anyone, Area: &world.Area{Radius: 10}})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for _, c := range s.Snapshot().Entities {
		fmt.Printf("%s\n", c.Raw)
	}

	if _, err := w.Move(ctx, "lute", memory.Position{3, 4, 0}, "entity.moved"); err != nil {
		log.Fatal(err)
	}
	d, err := s.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Causes, d.Changes[0].Entity.Name, *d.Changes[0].Entity.Position)

	if _, err := w.Move(ctx, "lute", memory.Position{30, 40, 0}, "entity.moved"); err != nil {
		log.Fatal(err)
	}
	if d, err = s.Next(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println("out of sight:", d.Removed)
	// Output:
	// {"id":"lute","type":"","name":"The Lute","position":[0,0,0]}
	// [entity.moved] The Lute [3 4 0]
	// out of sight: [lute]
}

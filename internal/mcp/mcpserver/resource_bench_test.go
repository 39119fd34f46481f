package mcpserver_test

import (
	"fmt"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// big is the sample table with 5,000 entities and 2,000 lines.
func big(b *testing.B) (*mcpserver.Library, *resourceTable) {
	b.Helper()
	tb := newTable(b)
	var many []memory.Entity
	for i := range 5000 {
		many = append(many, memory.Entity{
			ID: fmt.Sprintf("ring-%04d", i), Type: "item", Name: fmt.Sprintf("Zinc Ring %04d", i),
			Description: "A ring of zinc that somebody threw away.", Position: &memory.Position{float64(i), 0, 0},
		})
	}
	resourceMust(b, "PutEntities", tb.store.PutEntities(b.Context(), many...))
	lines := make([]memory.Line, 2000)
	for i := range lines {
		lines[i] = memory.Line{Session: tb.session, Turn: int64(i), Speaker: "Mia", Text: "Who threw away all these rings, and why are they of zinc?"}
	}
	_, err := tb.store.Append(b.Context(), lines...)
	resourceMust(b, "Append", err)
	return mcpserver.NewLibrary(tb.LibrarySources), tb
}

func BenchmarkRead(b *testing.B) {
	lib, tb := big(b)
	v := view(memory.Anyone, everything...)
	for _, bm := range []struct{ name, uri string }{
		{"npc", "glyphoxa://npcs/juniper"},
		{"entity", "glyphoxa://entities/juniper"},
		{"entities", "glyphoxa://entities"},
		{"transcript", mcpserver.TranscriptURI(tb.session)},
		{"rule", "glyphoxa://rules/condition-blinded"},
		{"latency", "glyphoxa://tools/latency"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := lib.Read(b.Context(), v, bm.uri); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkList(b *testing.B) {
	lib, _ := big(b)
	v := view(memory.Anyone, everything...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := lib.List(b.Context(), v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkComplete(b *testing.B) {
	lib, _ := big(b)
	v := view(memory.Anyone, everything...)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := lib.Complete(b.Context(), v, mcpserver.EntityTemplate, "id", "jun"); err != nil {
			b.Fatal(err)
		}
	}
}

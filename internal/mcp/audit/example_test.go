package audit_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/MrWong99/glyphoxa/internal/mcp/audit"
)

func Example() {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	l, err := audit.Open(ctx, filepath.Join(dir, "audit.db"), audit.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer l.Close()
	l.Add(audit.Record{Who: "claude", Tool: "roll", Decision: audit.Allowed}, `{"expression":"2d6"}`)
	l.Add(audit.Record{Who: "claude", Tool: "set_scene", Decision: audit.Denied, Rule: "nights_only"}, `{"scene":"inn"}`)
	records, _, err := l.Query(ctx, audit.Query{Who: "claude", Decision: audit.Denied})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range records {
		fmt.Println(r.ID, r.Who, r.Tool, r.Decision, r.Rule)
	}
	// Output: 2 claude set_scene denied nights_only
}

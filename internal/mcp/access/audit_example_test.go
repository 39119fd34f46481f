package access_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

func ExampleLog() {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	l, err := access.OpenLog(ctx, filepath.Join(dir, "audit.db"), access.LogOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer l.Close()
	l.Add(access.LogRecord{Who: "claude", Tool: "roll", Decision: access.Allowed}, `{"expression":"2d6"}`)
	l.Add(access.LogRecord{Who: "claude", Tool: "set_scene", Decision: access.Denied, Rule: "nights_only"}, `{"scene":"inn"}`)
	records, _, err := l.Query(ctx, access.LogQuery{Who: "claude", Decision: access.Denied})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range records {
		fmt.Println(r.ID, r.Who, r.Tool, r.Decision, r.Rule)
	}
	// Output: 2 claude set_scene denied nights_only
}

package exam

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/sentencevectors"
)

// evenings are the past evenings of campaigns, each in a database that is built
// once. It is safe for concurrent use.
type evenings struct {
	rows []memoryRow
	dir  string

	mu   sync.Mutex // guards made, and is held for the seconds in which a database is built
	made map[string]error
}

// copyTo copies a campaign's evenings to a table: none if campaign is empty.
func (e *evenings) copyTo(ctx context.Context, campaign, dir string) error {
	if campaign == "" {
		return nil
	}
	from := filepath.Join(e.dir, campaign)
	e.mu.Lock()
	err, known := e.made[campaign]
	if !known {
		err = e.make(ctx, campaign, from)
		if ctx.Err() == nil {
			e.made[campaign] = err
		}
	}
	e.mu.Unlock()
	if err != nil {
		return fmt.Errorf("making the evenings of %s: %w", campaign, err)
	}
	return copyTree(from, dir)
}

// make plays a campaign's evenings into a new database.
func (e *evenings) make(ctx context.Context, campaign, dir string) (err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, filepath.Join(dir, databaseName), &sqlite.Options{Embedder: sentencevectors.New()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	turn := int64(0)
	for _, r := range e.rows {
		if r.Kind != "evening" || r.Campaign != campaign {
			continue
		}
		session, err := store.StartSession(ctx, campaign)
		if err != nil {
			return err
		}
		var heard []string
		for _, name := range r.NPCPresent {
			heard = append(heard, slug(name))
			if err := store.PutEntities(ctx, memory.Entity{ID: slug(name), Type: "npc", Name: name}); err != nil {
				return err
			}
		}
		for _, l := range r.Lines {
			turn++
			line := memory.Line{Session: session.ID, Turn: turn, Speaker: l.Who, DM: l.Who == "DM" || l.Who == "SL", Text: l.Text, Present: memory.Heard(heard...)}
			if slices.Contains(r.NPCPresent, l.Who) {
				line.NPC = slug(l.Who)
			}
			if _, err := store.Append(ctx, line); err != nil {
				return err
			}
		}
		if err := store.EndSession(ctx, session.ID); err != nil {
			return err
		}
	}
	for indexed := 1; indexed > 0; {
		lines, err := store.IndexLines(ctx)
		facts, err2 := store.EmbedFacts(ctx)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		indexed = lines + facts
	}
	return nil
}

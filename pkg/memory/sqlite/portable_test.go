package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// derived lists tables, and columns of record tables, that an import recomputes or that
// belong to one file only.
var derived = " vector_spaces entity_names entity_words speakers plans orders" +
	" sessions.lines facts.embedded entities.key forgetting.gone forgetting.phase indexed_lines.only "

// TestRecordsAreAllThereIs compares the columns of all tables with the exported records,
// so that new columns are exported too.
func TestRecordsAreAllThereIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	open(t, path, &sqlite.Options{})
	db, err := sql.Open("sqlite", path)
	must(t, "Open", err)
	defer func() { must(t, "Close", db.Close()) }()
	tables := map[string]string{
		"session": "sessions", "audience": "audiences", "line": "lines", "fact": "facts", "entity": "entities", "relation": "relations", "state": "state",
		"filed": "filed", "world_change": "world_changes", "indexed": "indexed_lines", "forgetting": "forgetting",
	}
	known := derived
	for _, k := range memory.Kinds() {
		for _, c := range strings.Fields(k.Columns) {
			name, _, _ := strings.Cut(c, ":")
			known += tables[k.Name] + "." + name + " "
		}
	}
	rows, err := db.QueryContext(t.Context(), `SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT GLOB '*_text' AND m.name NOT GLOB '*_text_*' AND m.name NOT GLOB 'fact_vectors*'`)
	must(t, "reading the schema", err)
	for rows.Next() {
		var table, column string
		must(t, "Scan", rows.Scan(&table, &column))
		if !strings.Contains(known, " "+table+" ") && !strings.Contains(known, " "+table+"."+column+" ") {
			t.Errorf("%s.%s is no part of a record: add it to memory.Kinds and to both stores, or to derived", table, column)
		}
	}
	must(t, "Rows", rows.Err())
}

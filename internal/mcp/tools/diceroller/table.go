package diceroller

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

//go:embed tables/*.yaml
var tableFiles embed.FS

// CheckTable reports every mistake in a random table that would change its meaning: no name, no entries,
// an empty entry, or braces without a valid dice expression. It returns nil for a valid table.
func CheckTable(name string, t config.RandomTable) error {
	var errs []error
	if strings.TrimSpace(name) == "" {
		errs = append(errs, errors.New("a random table has no name; give it one such as tavern_rumours"))
	}
	if len(t.Entries) == 0 {
		errs = append(errs, fmt.Errorf("random table %q has no entries; list at least one", name))
	}
	for i, entry := range t.Entries {
		if strings.TrimSpace(entry) == "" {
			errs = append(errs, fmt.Errorf("random table %q, entry %d is empty; write what happens", name, i+1))
		}
		if _, err := readEntry(entry); err != nil {
			errs = append(errs, fmt.Errorf("random table %q, entry %d: %w", name, i+1, err))
		}
	}
	return errors.Join(errs...)
}

// table is a random table with parsed dice expressions.
type table struct {
	name        string
	description string
	entries     [][]piece
}

// piece is a piece of text, or a dice expression if expr has terms.
type piece struct {
	text string
	expr Expr
}

// readEntry splits an entry at its braces. Braces that it cannot parse stay in the text, and the error lists
// them.
func readEntry(entry string) ([]piece, error) {
	var pieces []piece
	var errs []error
	for entry != "" {
		open := strings.IndexByte(entry, '{')
		if open < 0 {
			break
		}
		length := strings.IndexByte(entry[open:], '}')
		if length < 0 {
			errs = append(errs, errors.New("a brace is not closed; dice read like {2d6}"))
			break
		}
		end := open + length + 1
		expr, err := Parse(entry[open+1 : end-1])
		if syntax := (*SyntaxError)(nil); errors.As(err, &syntax) {
			errs = append(errs, fmt.Errorf("%q holds no dice: %s", untrusted.Clip(entry[open:end], 40), syntax.Reason))
			pieces = append(pieces, piece{text: entry[:end]})
		} else {
			pieces = appendText(pieces, entry[:open])
			pieces = append(pieces, piece{expr: expr})
		}
		entry = entry[end:]
	}
	return appendText(pieces, entry), errors.Join(errs...)
}

func appendText(pieces []piece, text string) []piece {
	if text == "" {
		return pieces
	}
	return append(pieces, piece{text: text})
}

// newTables returns the built-in tables and the extra ones by name. Extra tables take precedence.
func newTables(extra map[string]config.RandomTable) []table {
	all := shippedTables()
	for name, t := range extra {
		if strings.TrimSpace(name) != "" && len(t.Entries) > 0 {
			all[name] = t
		}
	}
	var tables []table
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t := table{name: name, description: strings.TrimSpace(all[name].Description)}
		for _, entry := range all[name].Entries {
			pieces, _ := readEntry(entry) // braces without valid dice stay in the text
			t.entries = append(t.entries, pieces)
		}
		tables = append(tables, t)
	}
	return tables
}

// shippedTables reads the embedded files. It panics if one of them is invalid; a test makes sure that none
// is.
func shippedTables() map[string]config.RandomTable {
	tables := map[string]config.RandomTable{}
	err := fs.WalkDir(tableFiles, "tables", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := tableFiles.ReadFile(file)
		if err != nil {
			return err
		}
		var t config.RandomTable
		dec := yaml.NewDecoder(bytes.NewReader(data))
		dec.KnownFields(true)
		if err := dec.Decode(&t); err != nil {
			return fmt.Errorf("reading %s: %w", file, err)
		}
		name := strings.TrimSuffix(path.Base(file), ".yaml")
		tables[name] = t
		return CheckTable(name, t)
	})
	if err != nil {
		panic(err)
	}
	return tables
}

func tableTool(tables []table, src Source) tools.Tool {
	names := make([]string, len(tables))
	description := "Roll on a random table and get what happens. Available tables:"
	for i, t := range tables {
		names[i] = t.name
		description += "\n- " + t.name
		if t.description != "" {
			description += ": " + t.description
		}
	}
	return tools.Tool{
		Definition: llm.ToolDefinition{
			Name:        "roll_table",
			Description: description,
			Parameters: map[string]any{
				"type": "object",
				"properties": map[string]any{
					"table_name": map[string]any{
						"type":        "string",
						"enum":        names,
						"description": "The table to roll on.",
					},
				},
				"required":             []string{"table_name"},
				"additionalProperties": false,
			},
			EstimatedDurationMs: declaredP50,
			MaxDurationMs:       declaredMax,
			Idempotent:          true,
		},
		Handler:      tableHandler(tables, src),
		DeclaredP50:  declaredP50,
		DeclaredMax:  declaredMax,
		Title:        "Roll on a random table",
		Permission:   "dice.roll",
		OutputSchema: tableOutput(),
		ReadOnly:     true,
		Floor:        mcp.BudgetFast,
		Probe:        `{"table_name":"wild_magic"}`,
		Inline:       true,
	}
}

func tableOutput() map[string]any {
	return map[string]any{
		"type": "object",
		"properties": map[string]any{
			"table":  map[string]any{"type": "string"},
			"roll":   map[string]any{"type": "integer", "minimum": 1, "description": "The number of the entry; every entry has the same chance."},
			"result": map[string]any{"type": "string", "description": "What happens, with its dice rolled."},
			"detail": map[string]any{"type": "string", "description": "The dice within the result; present when there are any."},
		},
		"required":             []string{"table", "roll", "result"},
		"additionalProperties": false,
	}
}

func tableHandler(tables []table, src Source) tools.Handler {
	return func(ctx context.Context, args string) (string, error) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		name, err := argument(args, "table_name")
		if err != nil {
			return "", err
		}
		i, ok := slices.BinarySearchFunc(tables, name, func(t table, n string) int {
			return strings.Compare(t.name, n)
		})
		if !ok {
			return "", noTable(tables, name)
		}
		t := &tables[i]
		roll := src.IntN(len(t.entries)) + 1
		var text, detail [256]byte
		result, dice := rollEntry(text[:0], detail[:0], t.entries[roll-1], src)
		return string(appendTableRoll(t.name, roll, result, dice)), nil
	}
}

func noTable(tables []table, name string) error {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.name
	}
	return fmt.Errorf("%w: there is no table %q; \"table_name\" is one of %s",
		mcp.ErrInvalidArguments, untrusted.Clip(name, 40), strings.Join(names, ", "))
}

// rollEntry rolls the dice of the entry. It appends the resulting text to text and the rolls to detail.
func rollEntry(text, detail []byte, entry []piece, src Source) (result, dice []byte) {
	for _, p := range entry {
		if p.expr.n == 0 {
			text = append(text, p.text...)
			continue
		}
		var thrown [24]Die
		o := p.expr.rollOnto(thrown[:0], src)
		text = strconv.AppendInt(text, int64(o.Total), 10)
		if len(detail) > 0 {
			detail = append(detail, "; "...)
		}
		detail = o.appendDetail(detail)
	}
	return text, detail
}

func appendTableRoll(name string, roll int, result, detail []byte) []byte {
	b := make([]byte, 0, 64+len(name)+len(result)+len(detail))
	b = append(b, `{"table":`...)
	b = appendString(b, name)
	b = append(b, `,"roll":`...)
	b = strconv.AppendInt(b, int64(roll), 10)
	b = append(b, `,"result":`...)
	b = appendString(b, string(result))
	if len(detail) > 0 {
		b = append(b, `,"detail":`...)
		b = appendString(b, string(detail))
	}
	return append(b, '}')
}

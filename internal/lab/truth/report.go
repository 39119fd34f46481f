package truth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Options select what to score.
type Options struct {
	// Root is the folder of the repository, which contains the corpora.
	Root string
	// Held also scores the held parts. Their misses are never reported.
	Held bool
	// Talk is the folder of recorded table talk for Quiet.
	Talk string
	// Judge decides doubtful lines for Quiet: perfect, nine (right nine times
	// in ten), slow or failing. If empty, there is no judge.
	Judge string
	// Clips is the folder of clips for Hearing and Prosody.
	Clips string
	// EachClip makes Hearing score each clip of dev as its own group.
	EachClip bool
	// Say, if set, receives progress messages.
	Say func(string)
}

// corpus returns the path of a file in testdata/truth.
func (o Options) corpus(elem ...string) string {
	return filepath.Join(slices.Concat([]string{o.Root, "testdata", "truth"}, elem)...)
}

func (o Options) say(what string) {
	if o.Say != nil {
		o.Say(what)
	}
}

// Report is the result of an evaluation.
type Report struct {
	Tables []Table `json:"tables"`
	// Notes say which parts were not scored, and why.
	Notes []string `json:"notes,omitempty"`
	// Misses are the mistakes in corpora that may be read, one line each.
	Misses []string `json:"misses,omitempty"`
	// Broken are the violated bounds.
	Broken []string `json:"broken,omitempty"`
}

func (r *Report) missed(format string, args ...any) {
	r.Misses = append(r.Misses, fmt.Sprintf(format, args...))
}

func (r *Report) broke(format string, args ...any) {
	r.Broken = append(r.Broken, fmt.Sprintf(format, args...))
}

// Write writes the tables as text, followed by notes and misses.
func (r *Report) Write(w io.Writer) error {
	for _, t := range r.Tables {
		if err := t.Write(w); err != nil {
			return err
		}
	}
	for _, line := range slices.Concat(r.Notes, r.Misses) {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// Table is one table of a report. Its first column names the rows.
type Table struct {
	Title   string
	Columns []Column
	Rows    [][]any
}

// Column is a column of a table.
type Column struct {
	Name   string
	Format string // fmt verb of a cell
}

// Write writes the table as text, followed by an empty line. A NaN cell becomes
// a dash.
func (t Table) Write(w io.Writer) error {
	lines := make([][]string, 1+len(t.Rows))
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		lines[0] = append(lines[0], c.Name)
		for j, row := range t.Rows {
			text := "–"
			if cell := value(row[i]); cell != nil {
				text = fmt.Sprintf(c.Format, cell)
			}
			lines[1+j] = append(lines[1+j], text)
		}
		for _, line := range lines {
			widths[i] = max(widths[i], utf8.RuneCountInString(line[i]))
		}
	}
	var b strings.Builder
	b.WriteString(t.Title + "\n")
	for _, line := range lines {
		fmt.Fprintf(&b, "%-*s", widths[0], line[0])
		for i, cell := range line[1:] {
			fmt.Fprintf(&b, "  %*s", widths[i+1], cell)
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// value returns a cell, or nil if it is NaN.
func value(cell any) any {
	if f, ok := cell.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return nil
	}
	return cell
}

// MarshalJSON encodes the rows as objects with the column names as keys.
func (t Table) MarshalJSON() ([]byte, error) {
	rows := make([]map[string]any, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = map[string]any{}
		for j, cell := range row {
			rows[i][t.Columns[j].Name] = value(cell)
		}
	}
	return json.Marshal(map[string]any{"title": t.Title, "rows": rows})
}

// score counts right results.
type score struct {
	name         string // "address", language, class, form
	right, total int
}

func (s score) percent() float64 {
	if s.total == 0 {
		return 0
	}
	return 100 * float64(s.right) / float64(s.total)
}

func scoreTable(title string, scores []score) Table {
	t := Table{Title: title, Columns: []Column{{"what", "%s"}, {"right", "%d"}, {"of", "%d"}, {"percent", "%.1f"}}}
	for _, s := range scores {
		t.Rows = append(t.Rows, []any{s.name, s.right, s.total, s.percent()})
	}
	return t
}

// tally counts right results by name.
type tally map[string]*score

func (t tally) count(name string, right bool) {
	if right {
		t.add(name, 1, 1)
	} else {
		t.add(name, 0, 1)
	}
}

func (t tally) add(name string, right, total int) {
	if t[name] == nil {
		t[name] = &score{name: name}
	}
	t[name].right += right
	t[name].total += total
}

// of returns the score of a name.
func (t tally) of(name string) score {
	if s := t[name]; s != nil {
		return *s
	}
	return score{name: name}
}

// sorted returns the scores by name.
func (t tally) sorted() []score {
	var all []score
	for _, name := range slices.Sorted(maps.Keys(t)) {
		all = append(all, *t[name])
	}
	return all
}

// readRows reads a file of JSON lines.
func readRows[T any](path string) (all []T, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(raw) {
		var row T
		if err := json.Unmarshal(line, &row); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, len(all)+1, err)
		}
		all = append(all, row)
	}
	return all, nil
}

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

// Options say what to score.
type Options struct {
	// Root is the folder of the repository, which holds the corpora.
	Root string
	// Held scores the parts that are held back, too. Their misses are never reported.
	Held bool
	// Talk is the folder of recorded table talk that Quiet scores.
	Talk string
	// Judge is who decides the lines that are in doubt for Quiet: perfect, nine (right nine times in
	// ten), slow or failing. If empty, nobody is asked.
	Judge string
	// Clips is the folder of the clips that Hearing and Prosody score.
	Clips string
	// EachClip has Hearing score each clip of dev as a group of its own.
	EachClip bool
	// Say, if set, is called with what is being scored.
	Say func(string)
}

// corpus is where a file of testdata/truth lies.
func (o Options) corpus(elem ...string) string {
	return filepath.Join(slices.Concat([]string{o.Root, "testdata", "truth"}, elem)...)
}

func (o Options) say(what string) {
	if o.Say != nil {
		o.Say(what)
	}
}

// Report is what an evaluation comes to.
type Report struct {
	Tables []Table `json:"tables"`
	// Notes say what was not scored, and why.
	Notes []string `json:"notes,omitempty"`
	// Misses are what went wrong in corpora that may be read, a line for each.
	Misses []string `json:"misses,omitempty"`
	// Broken are the bounds that do not hold.
	Broken []string `json:"broken,omitempty"`
}

func (r *Report) missed(format string, args ...any) {
	r.Misses = append(r.Misses, fmt.Sprintf(format, args...))
}

func (r *Report) broke(format string, args ...any) {
	r.Broken = append(r.Broken, fmt.Sprintf(format, args...))
}

// Write writes the tables as text, with notes and misses after them.
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
	Format string // how fmt writes a cell
}

// Write writes the table as text, with an empty line after it. A cell that is no number is a
// dash.
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

// value is a cell, nil if it is a number that is none.
func value(cell any) any {
	if f, ok := cell.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return nil
	}
	return cell
}

// MarshalJSON writes the rows as objects, by the names of the columns.
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

// score is how many of something were right.
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

// scoreTable is a table of scores.
func scoreTable(title string, scores []score) Table {
	t := Table{Title: title, Columns: []Column{{"what", "%s"}, {"right", "%d"}, {"of", "%d"}, {"percent", "%.1f"}}}
	for _, s := range scores {
		t.Rows = append(t.Rows, []any{s.name, s.right, s.total, s.percent()})
	}
	return t
}

// tally counts what was right, by name.
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

// of is the score of a name.
func (t tally) of(name string) score {
	if s := t[name]; s != nil {
		return *s
	}
	return score{name: name}
}

// sorted are the scores by name.
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

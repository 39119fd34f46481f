package web

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// factView is a fact as search_facts returns it, with its line.
type factView struct {
	Text       string     `json:"text"`
	Source     string     `json:"source"`
	At         *time.Time `json:"at,omitempty"`
	Date       string     `json:"date,omitempty"`
	Until      string     `json:"until,omitempty"`
	Superseded *time.Time `json:"superseded,omitempty"`
	Score      float64    `json:"score"`
	// Session and Line are where the fact was said, if the visitor may know that. Line is 0 if the line no
	// longer exists.
	Session string `json:"session,omitempty"`
	Line    int64  `json:"line,omitempty"`
}

// findFacts calls search_facts under the usual rules, and finds the line of each fact.
func (d *authenticator) findFacts(a *roomRequest) {
	var in struct {
		Query string `json:"query"`
	}
	if !a.decode(&in) {
		return
	}
	args, err := json.Marshal(in)
	if err != nil {
		failWith(a.w, err)
		return
	}
	res, ok := a.execute("search_facts", string(args))
	if !ok {
		return
	}
	if res.IsError {
		fail(a.w, http.StatusBadRequest, res.Text)
		return
	}
	var out struct {
		Facts []factView `json:"facts"`
		Note  string     `json:"note,omitempty"`
	}
	if err := json.Unmarshal([]byte(res.Text), &out); err != nil {
		failWith(a.w, err)
		return
	}
	said := transcripts{roomRequest: a, of: map[string][]memory.Line{}}
	for i := range out.Facts {
		if err := said.locate(a.r.Context(), &out.Facts[i]); err != nil {
			failWith(a.w, err)
			return
		}
	}
	answer(a.w, out)
}

// transcripts caches the lines of sessions that the visitor may see.
type transcripts struct {
	*roomRequest
	of map[string][]memory.Line
}

func (t *transcripts) lines(ctx context.Context, session string) ([]memory.Line, error) {
	if lines, ok := t.of[session]; ok {
		return lines, nil
	}
	lines, err := t.room.game.Store.RecentFor(ctx, session, t.viewer(), mostLines)
	t.of[session] = lines
	return lines, err
}

// mostLines bounds the lines of a session among which a fact's line is searched.
const mostLines = 100_000

// locate finds the line of a fact.
func (t *transcripts) locate(ctx context.Context, f *factView) error {
	kind, id, _ := strings.Cut(f.Source, ":")
	var from []int64 // lines named by a learnt entry
	switch kind {
	case "session":
		f.Session = id
	case "chronicle":
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return nil
		}
		e, err := t.room.game.Chronicle.Entry(n)
		if err != nil || e.Session == "" || len(e.Lines) == 0 {
			return nil // it was dropped, or is about a whole session
		}
		f.Session, from = e.Session, e.Lines
	default:
		return nil
	}
	lines, err := t.lines(ctx, f.Session)
	if err != nil {
		return err
	}
	f.Line = lineOf(f, lines, from)
	if f.Line == 0 && kind == "chronicle" { // the visitor was not present
		f.Session = ""
	}
	return nil
}

// lineOf returns the id of a fact's line: a line in from if given, else the line with the same text,
// preferably the one with the same time, else the last line before the fact, which is right for a fact that
// an NPC remembered in its own words.
func lineOf(f *factView, lines []memory.Line, from []int64) int64 {
	if from != nil {
		i := slices.IndexFunc(lines, func(l memory.Line) bool { return slices.Contains(from, l.ID) })
		if i < 0 {
			return 0
		}
		return lines[i].ID
	}
	text := strings.TrimSuffix(f.Text, "…") // long texts are truncated
	var same, before int64
	for _, l := range lines {
		at := f.At != nil && l.At.Truncate(time.Millisecond).Equal(f.At.Truncate(time.Millisecond))
		if strings.HasPrefix(memory.FactOf(l).Text, text) {
			if at {
				return l.ID
			}
			same = l.ID
		}
		if f.At != nil && !l.At.After(*f.At) {
			before = l.ID
		}
	}
	if same != 0 {
		return same
	}
	return before
}

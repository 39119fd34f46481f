package sqlstore

// A recollection keeps the newest lines of a store in mind, so that they are
// found by what a question means. What it finds is read again from the store, so that
// nothing comes of it that has been taken back.

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/recall"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

const (
	// keptLines is how many of the newest lines are kept in mind, give or take a
	// batch: dozens of evenings, in a few megabytes.
	keptLines = 16384
	// batch is how many lines are read at a time.
	batch = 512
	// keptEntities is how many entities a question may mean without naming them.
	keptEntities = 512
	// entitiesFresh is how long the entities read are taken for those there are.
	entitiesFresh = 5 * time.Second
	// leastScore is the score below which a line has nothing to do with a question.
	leastScore = 0.12
	// leastMeant is the same where lines are compared as a whole, too.
	leastMeant = 0.04
	// olderLines is how many lines before those in mind are looked at.
	olderLines = 64
	// usualLimit is how many lines are found if a query does not say.
	usualLimit = 10
)

// Known is an entity with who knows of it.
type Known struct {
	*recall.Entity
	Visible []string
}

// newKnown returns an entity as stores keep it: its other names are a list in JSON.
func newKnown(name, aliases, description string, visible []string) Known {
	other := strings.FieldsFunc(aliases, func(r rune) bool { return strings.ContainsRune(`[]",`, r) })
	return Known{recall.NewEntity(name, other, description), visible}
}

// Source is a store as it stands at one time, for one caller.
type Source interface {
	// Session returns the number of a session, 0 if there is none of that id.
	Session(ctx context.Context, id string) (int64, error)
	// Audiences returns those that viewer belongs to, so that what they heard is
	// theirs to know.
	Audiences(ctx context.Context, viewer string) ([]int64, error)
	// Before returns the id of the last line before the newest ones, 0 if there are
	// no more than those.
	Before(ctx context.Context, newest int) (int64, error)
	// Since returns at most so many lines after one, by their ids.
	Since(ctx context.Context, id int64, most int) ([]recall.Line, error)
	// Entities returns at most so many of the entities.
	Entities(ctx context.Context, most int) ([]Known, error)
	// Vectors returns those of the lines' facts that have one of the embedder in use, by
	// the lines' ids.
	Vectors(ctx context.Context, ids []int64) (map[int64][]float32, error)
	// Lines returns those of the lines that are still there and not withheld, in
	// this order.
	Lines(ctx context.Context, ids []int64) ([]memory.LineHit, error)
}

// Log is what a store brings to have its lines recalled.
type Log struct {
	// Read calls with the store as it stands.
	Read func(ctx context.Context, use func(Source) error) error
	// Search finds lines by their words.
	Search func(context.Context, memory.LineQuery) ([]memory.LineHit, error)
	// Embed returns the vector of a question, nil if there is none.
	Embed func(ctx context.Context, text string) ([]float32, error)
	// Knows reports whether viewer is among those who know.
	Knows func(who []string, viewer string) bool
}

// Mind is what is kept in mind of a store. The zero value is empty. It may be used by
// any number of goroutines; the store is never asked while its lock is held.
type Mind struct {
	mu       sync.Mutex
	index    *recall.Index // nil until the lines were read
	dropped  bool          // older lines are no longer in mind
	reading  bool          // somebody reads all of the lines
	times    int           // how often everything was forgotten
	entities []Known
	read     time.Time // when the entities were read
}

// Forget lets everything be read anew: lines have been taken back or reworded.
func (m *Mind) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.index, m.dropped, m.entities, m.read = nil, false, nil, time.Time{}
	m.times++
}

// Recall finds lines by what a question means: other words for the same, whom it means
// without a name, who spoke, and what was said around a line. Lines that viewer may not
// know of are not even compared. It returns nothing if no line has anything to do with
// the question, and only the nearest if none has enough to be taken for an answer; the
// question itself is none. Of very many lines the newest are compared, older ones if
// they have words of the question.
func (m *Mind) Recall(ctx context.Context, log Log, query memory.LineQuery) ([]memory.LineHit, error) {
	if query.Days != nil || strings.TrimSpace(query.Text) == "" {
		return log.Search(ctx, query)
	}
	if query.Limit <= 0 {
		query.Limit = usualLimit
	}
	q := recall.Query{Text: query.Text, Asker: query.Viewer, Limit: query.Limit}
	var out []memory.LineHit
	var dropped bool
	var err error
	if !query.ByWords {
		if q.Vector, err = log.Embed(ctx, query.Text); err != nil {
			return nil, err
		}
	}
	err = log.Read(ctx, func(src Source) (err error) {
		if query.Session != "" {
			if q.Session, err = src.Session(ctx, query.Session); err != nil || q.Session == 0 {
				return err
			}
		}
		var hits []recall.Hit
		if hits, dropped, err = m.rank(ctx, log, src, query.Viewer, q); err != nil {
			return err
		}
		out, err = load(ctx, src, hits, q.Vector != nil)
		out = slices.DeleteFunc(out, func(h memory.LineHit) bool { return !log.Knows(h.Present, query.Viewer) })
		return err
	})
	if err == nil && dropped {
		var older []memory.LineHit
		older, err = recallOlder(ctx, log, query, q)
		out = append(out, slices.DeleteFunc(older, func(h memory.LineHit) bool {
			return slices.ContainsFunc(out, func(o memory.LineHit) bool { return o.ID == h.ID })
		})...)
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(out, func(a, b memory.LineHit) int { return cmp.Compare(b.Score, a.Score) })
	out = out[:min(len(out), query.Limit)]
	for i := range out { // the first says for all whether the question is answered
		out[i].Nearest = out[0].Nearest
	}
	return out, nil
}

// rank ranks the lines in mind, and reports whether there are others.
func (m *Mind) rank(ctx context.Context, log Log, src Source, viewer string, q recall.Query) ([]recall.Hit, bool, error) {
	seen, err := src.Audiences(ctx, viewer)
	if err != nil {
		return nil, false, err
	}
	q.Sees = func(audience int64) bool { return viewer == "" || slices.Contains(seen, audience) }
	if err := m.Read(ctx, src); err != nil {
		return nil, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.index == nil {
		return nil, true, nil // they are being read; who asks does not wait
	}
	for _, e := range m.entities {
		if log.Knows(e.Visible, viewer) {
			q.Entities = append(q.Entities, e.Entity)
		}
	}
	return m.index.Rank(q), m.dropped, nil
}

// Read reads the lines that were said since the last time, all that are kept in mind at
// the first, and now and then the entities. It returns at once while another caller
// reads all of the lines.
func (m *Mind) Read(ctx context.Context, src Source) error {
	m.mu.Lock()
	index, times, stale := m.index, m.times, time.Since(m.read) >= entitiesFresh
	first := index == nil
	if first && m.reading {
		m.mu.Unlock()
		return nil
	}
	var last int64
	if first {
		m.reading = true
	} else {
		last = index.Last()
	}
	m.mu.Unlock()

	news, err := readNews(ctx, src, first, last, stale)

	m.mu.Lock()
	defer m.mu.Unlock()
	if first {
		m.reading = false
	}
	if err != nil || times != m.times {
		return err
	}
	if first {
		m.index, m.dropped = news.index, news.skipped
	}
	for _, l := range news.lines {
		if l.ID > m.index.Last() { // else somebody was faster
			m.index.Add(l)
		}
	}
	if m.index.Len() > keptLines+batch {
		m.index.Drop(keptLines)
		m.dropped = true
	}
	if stale {
		m.entities, m.read = news.entities, time.Now()
	}
	return nil
}

// news is what was read of a store.
type news struct {
	index    *recall.Index // of all lines, if they were read for the first time
	skipped  bool          // there are lines before those of the index
	lines    []recall.Line // since the last time
	entities []Known
}

func readNews(ctx context.Context, src Source, first bool, last int64, stale bool) (n news, err error) {
	if first {
		if last, err = src.Before(ctx, keptLines); err != nil {
			return n, err
		}
		n.index, n.skipped = recall.NewIndex(), last > 0
	}
	for {
		next, err := src.Since(ctx, last, batch)
		if err != nil {
			return n, err
		}
		if !first {
			n.lines = append(n.lines, next...)
		}
		for _, l := range next {
			last = l.ID
			if first { // nobody else has it yet
				n.index.Add(l)
			}
		}
		if len(next) < batch {
			break
		}
	}
	if stale {
		n.entities, err = src.Entities(ctx, keptEntities)
	}
	return n, err
}

// load reads the lines that have to do with a question.
func load(ctx context.Context, src Source, hits []recall.Hit, meant bool) ([]memory.LineHit, error) {
	least := leastScore
	if meant {
		least = leastMeant
	}
	hits = slices.DeleteFunc(hits, func(h recall.Hit) bool { return h.Score < least })
	if len(hits) == 0 {
		return nil, nil
	}
	found := make(map[int64]recall.Hit, len(hits))
	ids := make([]int64, len(hits))
	for i, h := range hits {
		ids[i], found[h.ID] = h.ID, h
	}
	out, err := src.Lines(ctx, ids)
	for i := range out {
		h := found[out[i].ID]
		out[i].Score, out[i].Evidence, out[i].Nearest = h.Score, h.Evidence, !h.Claimed
	}
	return out, err
}

// recallOlder compares older lines that have words of the question.
func recallOlder(ctx context.Context, log Log, query memory.LineQuery, q recall.Query) ([]memory.LineHit, error) {
	query.Limit = olderLines
	found, err := log.Search(ctx, query)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b memory.LineHit) int { return cmp.Compare(a.ID, b.ID) })
	x := recall.NewIndex()
	byID := make(map[int64]memory.LineHit, len(found))
	for _, h := range found {
		x.Add(recall.Line{ID: h.ID, Speaker: h.Speaker, NPC: h.NPC, Text: h.Text})
		byID[h.ID] = h
	}
	q.Sees, q.Session = func(int64) bool { return true }, 0
	var out []memory.LineHit
	for _, h := range x.Rank(q) {
		if h.Score >= leastScore {
			line := byID[h.ID]
			line.Score, line.Evidence, line.Nearest = h.Score, h.Evidence, !h.Claimed
			out = append(out, line)
		}
	}
	return out, nil
}

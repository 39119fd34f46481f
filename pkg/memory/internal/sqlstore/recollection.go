package sqlstore

// A recollection keeps the newest lines of a store in memory so that they are found by a question's meaning.
// Results are read again from the store, so that deleted lines are never returned.

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
	// keptLines is the number of the newest lines kept in memory, up to one batch more. This covers dozens of
	// evenings in a few megabytes.
	keptLines = 16384
	// batch is the number of lines read at a time.
	batch = 512
	// keptEntities is the number of entities that a question can refer to without naming them.
	keptEntities = 512
	// entitiesFresh is how long entities are cached.
	entitiesFresh = 5 * time.Second
	// leastScore is the score below which a line is considered unrelated to a question.
	leastScore = 0.12
	// leastMeant is the same limit when vectors are compared as well.
	leastMeant = 0.04
	// olderLines is the number of lines older than those in memory that are looked at.
	olderLines = 64
	// usualLimit is the number of lines returned if a query sets no limit.
	usualLimit = 10
)

// Known is an entity and the list of those who know of it.
type Known struct {
	*recall.Entity
	Visible []string
}

// newKnown returns an entity from its stored columns. aliases is a JSON list.
func newKnown(name, aliases, description string, visible []string) Known {
	other := strings.FieldsFunc(aliases, func(r rune) bool { return strings.ContainsRune(`[]",`, r) })
	return Known{recall.NewEntity(name, other, description), visible}
}

// Source is one snapshot of a store, used by one caller.
type Source interface {
	// Session returns the number of a session, or 0 if the id is unknown.
	Session(ctx context.Context, id string) (int64, error)
	// Audiences returns the numbers of the audiences that viewer belongs to. What these heard, viewer may
	// know.
	Audiences(ctx context.Context, viewer string) ([]int64, error)
	// Before returns the id of the last line before the newest ones, or 0 if there are no older lines.
	Before(ctx context.Context, newest int) (int64, error)
	// Since returns up to most lines after the given one, ordered by id.
	Since(ctx context.Context, id int64, most int) ([]recall.Line, error)
	// Entities returns up to most entities.
	Entities(ctx context.Context, most int) ([]Known, error)
	// Vectors returns the vectors of the current embedder for the facts made from the lines, by line id.
	// Lines without one are missing.
	Vectors(ctx context.Context, ids []int64) (map[int64][]float32, error)
	// Lines returns those of the lines that still exist and are not hidden, in the order of ids.
	Lines(ctx context.Context, ids []int64) ([]memory.LineHit, error)
}

// Log is what [Mind.Recall] needs from a store.
type Log struct {
	// Read calls use with a snapshot of the store.
	Read func(ctx context.Context, use func(Source) error) error
	// Search finds lines by their words.
	Search func(context.Context, memory.LineQuery) ([]memory.LineHit, error)
	// Embed returns the vector of a question, or nil if there is none.
	Embed func(ctx context.Context, text string) ([]float32, error)
	// Knows reports whether viewer is among who.
	Knows func(who []string, viewer string) bool
}

// LineCache keeps the newest lines of a store in memory. The zero value is empty. It is safe for concurrent use.
// Its lock is never held during a call to the store.
type LineCache struct {
	mu       sync.Mutex
	index    *recall.Index // nil until the lines have been read
	dropped  bool          // the index no longer has the older lines
	reading  bool          // a caller is reading all lines
	times    int           // number of calls of Forget
	entities []Known
	read     time.Time // when the entities were read
}

// Forget discards everything, so that it is read again after lines were deleted or reworded.
func (m *LineCache) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.index, m.dropped, m.entities, m.read = nil, false, nil, time.Time{}
	m.times++
}

// Recall finds lines by a question's meaning. It considers synonyms, persons who are meant but not named,
// who spoke, and the lines around a line. Lines that viewer may not know of are not compared. If no line is
// related to the question, it returns nothing; if none is likely to be an answer, it returns only the
// nearest. The question itself is never returned. Only the newest lines are compared by meaning; older ones
// must share words with the question.
func (m *LineCache) Recall(ctx context.Context, log Log, query memory.LineQuery) ([]memory.LineHit, error) {
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
	for i := range out { // the first hit decides for all whether the question is answered
		out[i].Nearest = out[0].Nearest
	}
	return out, nil
}

// rank ranks the lines in memory, and reports whether the store has others.
func (m *LineCache) rank(ctx context.Context, log Log, src Source, viewer string, q recall.Query) ([]recall.Hit, bool, error) {
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
		return nil, true, nil // another caller is reading them; this one does not wait
	}
	for _, e := range m.entities {
		if log.Knows(e.Visible, viewer) {
			q.Entities = append(q.Entities, e.Entity)
		}
	}
	return m.index.Rank(q), m.dropped, nil
}

// Read adds the lines written since the last call, or the newest keptLines on the first call, and refreshes
// the entities from time to time. While another caller reads all lines, it returns at once.
func (m *LineCache) Read(ctx context.Context, src Source) error {
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
		if l.ID > m.index.Last() { // otherwise another caller has added it
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

// news is the result of a call of readNews.
type news struct {
	index    *recall.Index // of all lines, on the first read
	skipped  bool          // there are lines older than the index
	lines    []recall.Line // since the last read
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
			if first { // n.index is not shared yet
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

// load reads the lines that are related to a question.
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

// recallOlder ranks older lines that share words with the question.
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

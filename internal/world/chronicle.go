package world

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/provider/embeddings/words"
)

// LearntPin is the kind of an entry pinned by the game master.
const LearntPin speech.SalientKind = "pin"

const (
	chronicleSpace = "chronicle"
	// upTo is the key of the last line that was processed.
	upTo = "gathered"

	maxProposed = 200  // proposals; more are not made
	maxKept     = 5000 // accepted entries; at the limit, no more are accepted automatically
	maxText     = 400  // runes of an entry
	maxBetween  = 6    // entries in a prompt
)

// ErrNoEntry reports that there is no such entry.
var ErrNoEntry = errors.New("there is no such entry")

// ChronicleStore stores a chronicle. It is safe for concurrent use. *sqlite.Store implements it.
type ChronicleStore interface {
	LoadState(ctx context.Context, space string) (map[string][]byte, error)
	SaveState(ctx context.Context, space string, values map[string][]byte) error
	Remember(ctx context.Context, facts ...memory.Fact) error
	// Unremember deletes the facts of a source with one of the texts.
	Unremember(ctx context.Context, source string, texts ...string) error
}

// Entry is a learnt or proposed entry.
type Entry struct {
	ID int64 `json:"-"`
	// Kind is the reason why it is worth remembering.
	Kind     speech.SalientKind `json:"kind"`
	Text     string             `json:"text"`
	Accepted bool               `json:"accepted,omitempty"`
	// NPC and Person are the id of the NPC and the name of the player whose relationship it is about; empty
	// if it is about none.
	NPC    string `json:"npc,omitempty"`
	Person string `json:"person,omitempty"`
	// Session and Lines are where it was said; the embedded Source is the author of the line.
	Session string  `json:"session,omitempty"`
	Lines   []int64 `json:"lines,omitempty"`
	Source
	// Others are the sources of the other lines, if it has several.
	Others []Source    `json:"others,omitempty"`
	At     time.Time   `json:"at"`
	Date   memory.Date `json:"date,omitzero"`
	// Visible lists who may know it; empty means everyone.
	Visible []string `json:"visible,omitempty"`
}

// sources returns the sources of an entry's lines.
func (e Entry) sources() []Source { return append([]Source{e.Source}, e.Others...) }

// isOf reports whether one of an entry's sources fulfils such.
func (e Entry) isOf(such func(Source) bool) bool { return slices.ContainsFunc(e.sources(), such) }

// source returns the source of the fact made from an entry.
func (e Entry) source() string { return fmt.Sprintf("chronicle:%d", e.ID) }

// fact returns the fact for an entry. An NPC's trust in a person supersedes its earlier trust.
func (e Entry) fact() memory.Fact {
	f := memory.Fact{Source: e.source(), Text: e.Text, At: e.At, Date: e.Date, Visible: e.Visible}
	if e.Kind == speech.SalientTrust && e.NPC != "" && e.Person != "" {
		f.Topic = "trust " + e.NPC + " " + words.Key(e.Person)
	}
	return f
}

// Chronicle is a campaign's chronicle. It is safe for concurrent use. Each change is stored before it takes
// effect.
type Chronicle struct {
	store ChronicleStore
	log   *slog.Logger

	change sync.Mutex // serialises changes; held while they are stored

	mu             sync.Mutex // guards the fields below; never held during I/O
	entries        map[int64]Entry
	last           int64
	processedUntil int64 // the last processed line
}

// OpenChronicle loads a chronicle. log may be nil.
func OpenChronicle(ctx context.Context, store ChronicleStore, log *slog.Logger) (*Chronicle, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	c := &Chronicle{store: store, log: log, entries: map[int64]Entry{}}
	kept, err := store.LoadState(ctx, chronicleSpace)
	if err != nil {
		return nil, fmt.Errorf("reading the chronicle: %w", err)
	}
	for key, value := range kept {
		if key == upTo {
			if c.processedUntil, err = strconv.ParseInt(string(value), 10, 64); err != nil {
				log.Warn("reading up to where sessions were gone through", "reason", err)
			}
			continue
		}
		id, err := strconv.ParseInt(key, 10, 64)
		var e Entry
		if err == nil {
			err = json.Unmarshal(value, &e)
		}
		if err != nil {
			log.Warn("reading an entry of the chronicle; it is left out", "entry", key, "reason", err)
			continue
		}
		e.ID = id
		c.entries[id], c.last = e, max(c.last, id)
	}
	return c, nil
}

// List returns the accepted entries or the proposals, oldest first, without diaries.
func (c *Chronicle) List(accepted bool) []Entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Entry
	for _, id := range slices.Sorted(maps.Keys(c.entries)) {
		if e := c.entries[id]; e.Accepted == accepted && e.Kind != LearntDiary {
			out = append(out, e)
		}
	}
	return out
}

// Between returns the entries that an NPC remembers when it talks to a person: those about the two, and those
// pinned for the NPC, newest last. groups are the NPC's groups.
func (c *Chronicle) Between(npc, person string, groups []string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Entry
	for _, e := range c.entries {
		mine := e.Kind != LearntDiary && (e.Kind == LearntPin && (e.NPC == "" || e.NPC == npc) ||
			e.NPC == npc && e.NPC != "" && words.Match(person, e.Person))
		if e.Accepted && mine && mayKnow(e.Visible, npc, groups) {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
	out = out[max(0, len(out)-maxBetween):]
	texts := make([]string, len(out))
	for i, e := range out {
		texts[i] = e.Text
	}
	return texts
}

func mayKnow(listed []string, npc string, groups []string) bool {
	return len(listed) == 0 || slices.ContainsFunc(listed, func(id string) bool { return id == npc || slices.Contains(groups, id) })
}

// Add stores an entry from the game master as accepted.
func (c *Chronicle) Add(ctx context.Context, e Entry) (Entry, error) {
	if e.Text = tidy(e.Text); e.Text == "" {
		return e, errors.New("there is nothing to remember; write what to remember")
	}
	c.change.Lock()
	defer c.change.Unlock()
	e.Accepted = true
	all, err := c.storeEntries(ctx, []Entry{e}, nil)
	if err != nil {
		return e, err
	}
	return all[0], c.store.Remember(ctx, all[0].fact())
}

// Decide accepts a proposal, with a new text if one is given, or rejects it.
func (c *Chronicle) Decide(ctx context.Context, id int64, accept bool, text string) (Entry, error) {
	c.change.Lock()
	defer c.change.Unlock()
	e, err := c.Entry(id)
	if err != nil {
		return e, err
	}
	if e.Accepted {
		return e, fmt.Errorf("%d has already been accepted; /memory drop %d takes it back", id, id)
	}
	if !accept {
		return e, c.remove(ctx, e)
	}
	if text = tidy(text); text != "" {
		e.Text = text
	}
	e.Accepted = true
	if _, err := c.storeEntries(ctx, []Entry{e}, nil); err != nil {
		return e, err
	}
	return e, c.store.Remember(ctx, e.fact())
}

// Drop removes an entry, whether it is proposed or accepted, and the fact made from it.
func (c *Chronicle) Drop(ctx context.Context, id int64) (Entry, error) {
	c.change.Lock()
	defer c.change.Unlock()
	e, err := c.Entry(id)
	if err != nil {
		return e, err
	}
	return e, c.remove(ctx, e)
}

// Forget removes everything made from a user's own lines. Entries from NPCs' answers to the user stay,
// without the user's id, as do other people's, even if they contain the user's name.
func (c *Chronicle) Forget(ctx context.Context, user string) error {
	if user == "" {
		return nil
	}
	err := c.removeWhere(ctx, func(e Entry) bool {
		return e.isOf(func(s Source) bool { return s.User == user && !s.Answer })
	})
	if err != nil {
		return err
	}
	c.change.Lock()
	defer c.change.Unlock()
	var kept []Entry
	c.mu.Lock()
	for _, e := range c.entries {
		if e.isOf(func(s Source) bool { return s.User == user }) {
			e.Source, e.Others = e.Source.without(user), slices.Clone(e.Others)
			for i, s := range e.Others {
				e.Others[i] = s.without(user)
			}
			kept = append(kept, e)
		}
	}
	c.mu.Unlock()
	if len(kept) == 0 {
		return nil
	}
	_, err = c.storeEntries(ctx, kept, nil)
	return err
}

// Retract removes entries made from a message's lines in a session.
func (c *Chronicle) Retract(ctx context.Context, session, ref string) error {
	if ref == "" {
		return nil
	}
	return c.removeWhere(ctx, func(e Entry) bool {
		return e.Session == session && e.isOf(func(s Source) bool { return s.Ref == ref })
	})
}

// RetractLine removes entries made from a line.
func (c *Chronicle) RetractLine(ctx context.Context, id int64) error {
	return c.removeWhere(ctx, func(e Entry) bool { return slices.Contains(e.Lines, id) })
}

func (c *Chronicle) removeWhere(ctx context.Context, those func(Entry) bool) error {
	c.change.Lock()
	defer c.change.Unlock()
	var gone []Entry
	c.mu.Lock()
	for _, e := range c.entries {
		if those(e) {
			gone = append(gone, e)
		}
	}
	c.mu.Unlock()
	return c.remove(ctx, gone...)
}

// Entry returns an entry by number.
func (c *Chronicle) Entry(id int64) (Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[id]
	if !ok {
		return e, fmt.Errorf("%w: %d; /memory and /memory list show their numbers", ErrNoEntry, id)
	}
	return e, nil
}

// storeEntries stores entries and further values, and returns the entries with their numbers. The caller must hold
// change.
func (c *Chronicle) storeEntries(ctx context.Context, all []Entry, values map[string][]byte) ([]Entry, error) {
	c.mu.Lock()
	next := c.last
	c.mu.Unlock()
	if values == nil {
		values = map[string][]byte{}
	}
	for i := range all {
		if all[i].ID == 0 {
			next++
			all[i].ID = next
		}
		raw, err := json.Marshal(all[i])
		if err != nil {
			return nil, fmt.Errorf("keeping entry %d: %w", all[i].ID, err)
		}
		values[strconv.FormatInt(all[i].ID, 10)] = raw
	}
	if err := c.store.SaveState(ctx, chronicleSpace, values); err != nil {
		return nil, fmt.Errorf("keeping the chronicle: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = next
	for _, e := range all {
		c.entries[e.ID] = e
	}
	return all, nil
}

// remove removes entries, after the facts made from them, so that a failure leaves an entry that can be
// dropped again. The caller must hold change.
func (c *Chronicle) remove(ctx context.Context, all ...Entry) error {
	values := map[string][]byte{}
	for _, e := range all {
		if e.Accepted {
			if err := c.store.Unremember(ctx, e.source(), e.Text); err != nil {
				return fmt.Errorf("taking entry %d back: %w", e.ID, err)
			}
		}
		values[strconv.FormatInt(e.ID, 10)] = nil
	}
	if len(values) == 0 {
		return nil
	}
	if err := c.store.SaveState(ctx, chronicleSpace, values); err != nil {
		return fmt.Errorf("keeping the chronicle: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range all {
		delete(c.entries, e.ID)
	}
	return nil
}

// tidy converts a text from outside to a line.
func tidy(text string) string {
	return strings.TrimSpace(untrusted.Line(text, maxText))
}

package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// Kinds of entries that the stage records, not the table.
const (
	kindSpeaks    = "player.speaks" // the first sound of a player's line
	kindStops     = "player.stops"  // its last
	kindVoiceOn   = "voice.on"      // an NPC starts to sound on the wire
	kindVoiceOff  = "voice.off"     // the last sound before 200 ms of silence
	kindAsked     = "model.asked"
	kindAnswered  = "model.ended"
	kindToolRan   = "tool.ran"
	kindToolEnded = "tool.ended"
	kindSynthesis = "speech.asked"
	kindSpoken    = "speech.ended"
	kindOpened    = "stt.opened"
	kindFinish    = "stt.finished"
	kindOrder     = "order" // by the dungeon master
	kindRefused   = "order.refused"
)

// Kinds of entries that come from speech-to-speech sessions.
const (
	kindS2SOpened      = "s2s.opened"
	kindS2SRefused     = "s2s.refused" // a session
	kindS2SClosed      = "s2s.closed"
	kindS2SCommitted   = "s2s.committed" // a turn to be answered
	kindS2SCleared     = "s2s.cleared"   // a turn not to be answered
	kindS2SInterrupted = "s2s.interrupted"
	kindS2STools       = "s2s.tools"
	kindS2SInjected    = "s2s.injected"
	kindS2SAnswered    = "s2s.answered" // a tool call
	kindS2STold        = "s2s.told"     // a delegation
	kindS2SViolation   = "s2s.violation"
)

// Entry is one event of a scene: an event of the table, or an observation of
// the stage.
type Entry struct {
	// At is the time since the beginning of the scene.
	At   time.Duration
	Kind string
	// Fields are the event's fields as texts; those of a nested object are
	// named ledger.total_ms, and lists are joined by ", ".
	Fields map[string]string
	// Event is the table's event, or nil for an observation of the stage.
	Event table.Event
}

// staged are the fields of the stage's entries.
func staged() map[string][]string {
	return map[string][]string{
		kindSpeaks: {"speaker", "text"}, kindStops: {"speaker", "text"},
		kindVoiceOn: {"npc", "text"}, kindVoiceOff: {"npc", "text"},
		kindAsked: {"npc", "text", "role", "round", "hurry", "tools", "facts", "results"}, kindAnswered: {"npc", "text", "role", "how"},
		kindToolRan: {"tool", "args"}, kindToolEnded: {"tool", "how"},
		kindSynthesis: {"npc", "text"}, kindSpoken: {"npc", "text", "how"},
		kindOpened: {"speaker"}, kindFinish: {"speaker", "text"},
		kindOrder: {"what", "npc"}, kindRefused: {"text"}, atStart: nil, atEnd: nil,

		kindS2SOpened: {"npc", "session", "tools", "history", "resumed"}, kindS2SRefused: {"npc", "session", "text"},
		kindS2SClosed:    {"npc", "session", "how", "text"},
		kindS2SCommitted: {"npc", "session", "speaker", "text", "ms", "lost_ms", "typed", "tools"},
		kindS2SCleared:   {"npc", "session", "ms"}, kindS2SInterrupted: {"npc", "session", "ms"}, kindS2STools: {"npc", "session", "tools"},
		kindS2SInjected: {"npc", "session", "text"}, kindS2SAnswered: {"npc", "session", "tool", "how", "text"},
		kindS2STold: {"npc", "session", "text", "silent"}, kindS2SViolation: {"npc", "session", "text"},
	}
}

// vocabulary returns the fields of every kind of entry.
func vocabulary() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for kind, fields := range staged() {
		out[kind] = map[string]bool{}
		for _, f := range fields {
			out[kind][f] = true
		}
	}
	for kind, t := range tableEvents() {
		out[kind] = map[string]bool{}
		fieldsOf(t, "", out[kind])
	}
	return out
}

// fieldsOf adds the names under which the fields of t appear in an entry.
func fieldsOf(t reflect.Type, prefix string, into map[string]bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			fieldsOf(f.Type, prefix, into)
		case name == "" || name == "-":
		case f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[time.Time]():
			fieldsOf(f.Type, prefix+name+".", into)
		default:
			into[prefix+name] = true
		}
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// record is all events of a scene so far. It is safe for concurrent use.
type record struct {
	start time.Time

	mu      sync.Mutex // guards the fields below
	entries []Entry
	grown   chan struct{} // closed when entries grows
}

func newRecord() *record {
	return &record{start: time.Now(), grown: make(chan struct{})}
}

// noteNow adds an observation of the stage; fields are alternating names and
// values.
func (r *record) noteNow(kind string, fields ...string) { r.noteAt(time.Now(), kind, fields...) }

func (r *record) noteAt(at time.Time, kind string, fields ...string) {
	e := Entry{At: at.Sub(r.start), Kind: kind, Fields: map[string]string{}}
	for i := 0; i+1 < len(fields); i += 2 {
		e.Fields[fields[i]] = fields[i+1]
	}
	r.addEntry(e)
}

// Emit implements table.Sink.
func (r *record) Emit(ev table.Event) {
	h := table.HeaderOf(ev)
	r.addEntry(Entry{At: h.Time.Sub(r.start), Kind: h.Kind, Fields: flattenEvent(ev), Event: ev})
}

func (r *record) addEntry(e Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = append(r.entries, e)
	close(r.grown)
	r.grown = make(chan struct{})
}

// entriesSince returns the entries from the nth on, and a channel that is
// closed when there are more.
func (r *record) entriesSince(n int) ([]Entry, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.entries[n:]), r.grown
}

// sorted returns all entries by time; entries of the same time keep their
// order.
func (r *record) sorted() []Entry {
	all, _ := r.entriesSince(0)
	slices.SortStableFunc(all, func(a, b Entry) int { return int(a.At - b.At) })
	return all
}

// flattenEvent converts an event to texts by field.
func flattenEvent(ev table.Event) map[string]string {
	raw, err := json.Marshal(ev)
	var object map[string]any
	if err == nil {
		err = json.Unmarshal(raw, &object)
	}
	if err != nil {
		return map[string]string{"error": fmt.Sprintf("unreadable event: %v", err)}
	}
	out := make(map[string]string, len(object))
	spreadFields(out, "", object)
	return out
}

func spreadFields(into map[string]string, prefix string, object map[string]any) {
	for key, value := range object {
		if inner, ok := value.(map[string]any); ok {
			spreadFields(into, prefix+key+".", inner)
			continue
		}
		into[prefix+key] = renderValue(value)
	}
}

// renderValue formats a JSON value.
func renderValue(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = renderValue(e)
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprint(value)
}

// MarshalJSON encodes an event of the table as the table does, and an
// observation of the stage in the same form, with Time relative to the
// beginning.
func (e Entry) MarshalJSON() ([]byte, error) {
	if e.Event != nil {
		return json.Marshal(e.Event)
	}
	object := map[string]any{"kind": e.Kind, "at_ms": mcp.RoundedMillis(e.At)}
	for k, v := range e.Fields {
		object[k] = v
	}
	return json.Marshal(object)
}

// ms formats a time in whole milliseconds.
func ms(d time.Duration) string {
	return strconv.FormatInt(d.Round(time.Millisecond).Milliseconds(), 10) + " ms"
}

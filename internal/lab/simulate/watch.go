package simulate

import (
	"maps"
	"sync"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

// tally counts the turns of all tables. It is safe for concurrent use.
type tally struct {
	firstSound histogram

	mu         sync.Mutex // guards the fields below
	utterances uint64
	turns      uint64
	outcomes   map[string]uint64
	engines    map[string]*engineTally
	notices    map[string]uint64 // warnings and errors, by text
}

func newTally() *tally {
	return &tally{outcomes: map[string]uint64{}, notices: map[string]uint64{}, engines: map[string]*engineTally{}}
}

// engineTally counts the turns of all NPCs with one engine.
type engineTally struct {
	npcs       int
	turns      uint64
	firstSound histogram
}

// addNPCs counts NPCs by engine, before any of them has a turn.
func (a *tally) addNPCs(named []string) {
	for _, name := range named {
		if a.engines[name] == nil {
			a.engines[name] = &engineTally{}
		}
		a.engines[name].npcs++
	}
}

// violated counts an engine's violation of a session's contract.
func (a *tally) violated(text string) {
	a.noticed(&table.Notice{Level: "error", Text: "a speech-to-speech session is used wrongly: " + text})
}

// addToReport stores the counts so far in r.
func (a *tally) addToReport(r *Report) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r.Utterances, r.Turns = a.utterances, a.turns
	r.Outcomes, r.Notices = maps.Clone(a.outcomes), maps.Clone(a.notices)
	r.Engines = map[string]EngineReport{}
	for name, e := range a.engines {
		report := EngineReport{NPCs: e.npcs, Turns: e.turns}
		if d := e.firstSound.distribution(); d.total > 0 {
			first := percentiles(d)
			report.FirstSound = &first
		}
		r.Engines[name] = report
	}
}

// ended counts a turn. A turn that should have sounded and did not counts with
// all its time, because percentiles of successful turns alone would be too
// good.
func (a *tally) ended(e *table.TurnEnded, engine string) {
	sound := e.Ledger.FirstSoundMS
	switch e.Outcome {
	case table.OutcomeFailed, table.OutcomeCancelled:
		sound = max(sound, e.Ledger.TotalMS)
	}
	if sound > 0 {
		a.firstSound.addDuration(time.Duration(sound * float64(time.Millisecond)))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turns++
	a.outcomes[string(e.Outcome)]++
	if of := a.engines[engine]; of != nil {
		of.turns++
		if sound > 0 {
			of.firstSound.addDuration(time.Duration(sound * float64(time.Millisecond)))
		}
	}
}

func (a *tally) heard() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.utterances++
}

// maxNotices bounds the different notices that are stored.
const maxNotices = 20

func (a *tally) noticed(n *table.Notice) {
	if n.Level == "info" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.notices[n.Text]; known || len(a.notices) < maxNotices {
		a.notices[n.Text]++
	}
}

// watch is a table's sink: it counts, and notifies the players when an NPC
// speaks and when a turn has ended. It is safe for concurrent use.
type watch struct {
	tally   *tally
	changed chan struct{} // holds a token when the state has changed
	engines map[string]string

	mu      sync.Mutex // guards the fields below
	ended   int        // turns so far
	audible bool       // an NPC is speaking
}

// newWatch watches a table whose NPCs use the named engines.
func newWatch(t *tally, named []string) *watch {
	w := &watch{tally: t, changed: make(chan struct{}, 1), engines: map[string]string{}}
	for i, engine := range named {
		w.engines[names[i]] = engine
	}
	return w
}

// Emit implements [table.Sink]; it never waits.
func (w *watch) Emit(e table.Event) {
	switch e := e.(type) {
	case *table.Heard:
		w.tally.heard()
	case *table.AudioStarted:
		w.update(func() { w.audible = true })
	case *table.TurnEnded:
		w.tally.ended(e, w.engines[e.NPC])
		w.update(func() { w.ended++; w.audible = false })
	case *table.Notice:
		w.tally.noticed(e)
	}
}

func (w *watch) update(f func()) {
	w.mu.Lock()
	f()
	w.mu.Unlock()
	wakeup.Signal(w.changed)
}

// state returns the number of ended turns and whether an NPC is speaking.
func (w *watch) state() (ended int, audible bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended, w.audible
}

package access

import "time"

// Bounds on the records of refusals. A refusal costs its caller nothing, so that records
// of them could fill the disk, and bury those of others.
const (
	// mergeWindow is the time in which the refusals of a caller are counted.
	mergeWindow = time.Minute
	// maxSingle is how many of them have a record of their own.
	maxSingle = 30
	// maxKinds is how many kinds of the rest are told apart.
	maxKinds = 10
	// maxRefused is how many callers are told apart.
	maxRefused = 1000
)

// others is the name of callers, and of tools, that are beyond a bound.
const others = "others"

// merger merges the refusals of callers who are refused often: a window's first have a
// record each, the rest one for each kind, written when the window ends. It is the
// writer's alone.
type merger struct {
	callers map[string]*refusals
	merged  []*LogRecord // in the order in which they began
}

// refusals are those of one caller in the window.
type refusals struct {
	single int
	kinds  map[kind]*LogRecord
}

// kind is what refusals have in common that are one record.
type kind struct{ tool, rule, code, approval, profile, transport, npc, session string }

// take reports whether r is merged, and needs no record of its own. It keeps no
// arguments: a merged record stands for several calls.
func (m *merger) take(r *LogRecord) bool {
	if r.Decision != Denied && r.Decision != Pending {
		return false
	}
	if m.callers == nil {
		m.callers = map[string]*refusals{}
	}
	who := r.Who
	if m.callers[who] == nil && len(m.callers) >= maxRefused {
		who = others
	}
	c := m.callers[who]
	if c == nil {
		c = &refusals{kinds: map[kind]*LogRecord{}}
		m.callers[who] = c
	}
	if c.single < maxSingle {
		c.single++
		return false
	}
	k := kind{r.Tool, r.Rule, r.Code, r.Approval, r.Profile, r.Transport, r.NPC, r.Session}
	kept := c.kinds[k]
	if kept == nil && (len(c.kinds) >= maxKinds || who == others) {
		k = kind{tool: others}
		kept = c.kinds[k]
	}
	if kept == nil {
		kept = &LogRecord{At: r.At, Who: who, Tool: k.tool, Decision: r.Decision}
		if k.tool != others {
			*kept = *r
		}
		kept.Duration, kept.Args, kept.ArgsHash = 0, "", ""
		c.kinds[k] = kept
		m.merged = append(m.merged, kept)
	}
	kept.Times++
	return true
}

// drain returns the merged records so far. The window goes on.
func (m *merger) drain() []*LogRecord {
	out := m.merged
	m.merged = nil
	for _, c := range m.callers {
		clear(c.kinds)
	}
	return out
}

// endWindow begins a new window; what was merged stays to be drained.
func (m *merger) endWindow() { m.callers = nil }

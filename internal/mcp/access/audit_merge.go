package access

import "time"

// Bounds on the records of refusals. A refused call costs its caller nothing, so records of refusals could
// otherwise fill the disk and bury the records of others.
const (
	// mergeWindow is the period over which a caller's refusals are counted.
	mergeWindow = time.Minute
	// maxSingle is how many refusals per window get a record of their own.
	maxSingle = 30
	// maxKinds is how many kinds of further refusals are distinguished.
	maxKinds = 10
	// maxRefused is how many callers are distinguished.
	maxRefused = 1000
)

// others replaces the names of callers and tools beyond a bound.
const others = "others"

// merger merges the refusals of callers who are refused often. The first ones in a window get a record each;
// the others are merged by kind, and those records are written when the window ends. Only the writer uses it.
type merger struct {
	callers map[string]*refusals
	merged  []*LogRecord // in order of their first refusal
}

// refusals holds one caller's refusals in the window.
type refusals struct {
	single int
	kinds  map[kind]*LogRecord
}

// kind holds the fields that merged refusals have in common.
type kind struct{ tool, rule, code, approval, profile, transport, npc, session string }

// mergeRecord reports whether r was merged and needs no record of its own. A merged record has no arguments, because
// it stands for several calls.
func (m *merger) mergeRecord(r *LogRecord) bool {
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

// drain returns the records merged so far. The window continues.
func (m *merger) drain() []*LogRecord {
	out := m.merged
	m.merged = nil
	for _, c := range m.callers {
		clear(c.kinds)
	}
	return out
}

// endWindow starts a new window. Merged records remain until they are drained.
func (m *merger) endWindow() { m.callers = nil }

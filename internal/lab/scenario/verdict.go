package scenario

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// Verdict is the result of one expectation.
type Verdict struct {
	// File and Line are the place of the expectation; Line is 0 for rules of
	// every scene.
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	// Scene is the scene's title, Engine its engine if not the NPCs' own.
	Scene  string `json:"scene"`
	Engine string `json:"engine,omitempty"`
	// Expect is the expectation in one line.
	Expect string `json:"expect"`
	OK     bool   `json:"ok"`
	// Skipped expectations were not judged.
	Skipped bool `json:"skipped,omitempty"`
	// Message says what happened instead, or by how much the expectation was
	// met.
	Message string `json:"message,omitempty"`
}

// judgeScene fills in the verdicts.
func (p *performance) judgeScene(ctx context.Context) {
	s := p.scene
	for i, e := range s.Expect {
		if len(e.Engines) > 0 && s.Engine != "" && !slices.Contains(e.Engines, s.Engine) {
			continue
		}
		ok, message := false, "the scene did not come to its end"
		if p.stage != nil {
			ok, message = p.meets(e)
		}
		p.addVerdict(s.ExpectLines[i], e.String(), ok, message)
		if ok && e.Judge != "" {
			p.opinion(ctx, s.ExpectLines[i], e)
		}
	}
	p.always()
}

func (p *performance) addVerdict(line int, expect string, ok bool, message string) {
	p.result.Verdicts = append(p.result.Verdicts, Verdict{
		File: p.scene.File, Line: line, Scene: p.scene.Title, Engine: p.scene.Engine, Expect: expect, OK: ok, Message: message,
	})
}

func (p *performance) addFailure(expect, message string) { p.addVerdict(0, expect, false, message) }

// String is the expectation in one line.
func (e Expectation) String() string {
	var parts []string
	part := func(given bool, format string, args ...any) {
		if given {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	part(e.Event != "", "%s", e.Event)
	part(e.Count != "", "×%s", e.Count)
	part(e.Absent != "", "no %s", e.Absent)
	part(e.Order != nil, "order: %s", strings.Join(e.Order, " → "))
	part(e.Outcomes != nil, "outcomes: %s", strings.Join(repeated(e.Outcomes), ", "))
	part(e.Ledger != nil, "ledger:")
	for _, k := range sortedKeys(e.Ledger) {
		parts = append(parts, k+" "+e.Ledger[k])
	}
	part(e.Turn != 0, "in turn %d", e.Turn)
	part(e.Transcript != nil, "transcript: %s", strings.Join(e.Transcript, " | "))
	part(e.Heard != nil, "heard: %s", strings.Join(e.Heard, " | "))
	part(e.Silent, "silence")
	part(e.Sounds, "sound all the time")
	part(e.NoSooner != 0, "no sooner than %v", time.Duration(e.NoSooner))
	part(e.Within != 0, "within %v", time.Duration(e.Within))
	part(e.After != "", "after %s", e.After)
	part(e.Before != "", "before %s", e.Before)
	return strings.Join(parts, " ")
}

// meets judges an expectation.
func (p *performance) meets(e Expectation) (bool, string) {
	switch {
	case e.Order != nil:
		return p.ordered(e.Order)
	case e.Outcomes != nil:
		return same(p.outcomes(), e.Outcomes)
	case e.Ledger != nil:
		return p.ledger(e)
	case e.Transcript != nil:
		return same(p.kept, e.Transcript)
	case e.Heard != nil:
		return same(p.heard(), e.Heard)
	}
	from, to, why := p.counted(e)
	if why != "" {
		return false, why
	}
	if e.Silent {
		from += p.stalled(from-breath, from+breath)
	}
	switch {
	case e.Event != "":
		return p.meetsEvent(e, from, to)
	case e.Absent != "":
		return p.absent(e, from, to)
	}
	return p.sound(e.Sounds, from, to)
}

// counted returns the time range of an expectation; why says that it is
// unknown.
func (p *performance) counted(e Expectation) (from, to time.Duration, why string) {
	to = p.ended
	if e.After != "" {
		at, ok := p.moment(e.After, 0)
		if !ok {
			return 0, 0, "there was no " + e.After
		}
		from = at
	}
	if e.Before != "" {
		at, ok := p.moment(e.Before, from)
		if !ok {
			return 0, 0, "there was no " + e.Before
		}
		to = at
	}
	if e.Within > 0 && e.Event == "" {
		to = min(to, from+time.Duration(e.Within))
	}
	return from, to, ""
}

// moment returns the time of a pattern's event. A pattern without a number
// means the first one from a time on.
func (p *performance) moment(text string, from time.Duration) (time.Duration, bool) {
	pat, err := parsePattern(text)
	if err != nil {
		return 0, false // the loader rejects this
	}
	var at []time.Duration
	for _, e := range p.result.Entries {
		if pat.fits(e) && (pat.nth != 0 || e.At >= from) && e.At <= p.ended {
			at = append(at, e.At)
		}
	}
	switch {
	case len(at) == 0 || pat.nth > len(at):
		return 0, false
	case pat.nth < 0:
		return at[len(at)-1] + pat.shift, true
	}
	return at[max(pat.nth, 1)-1] + pat.shift, true
}

// matching returns the matching entries in a time range.
func (p *performance) matching(pat pattern, from, to time.Duration) []Entry {
	var out []Entry
	for _, e := range p.result.Entries {
		if pat.fits(e) && e.At >= from && e.At <= to {
			out = append(out, e)
		}
	}
	switch {
	case pat.nth > len(out):
		return nil
	case pat.nth > 0:
		return out[pat.nth-1 : pat.nth]
	case pat.nth < 0 && len(out) > 0:
		return out[len(out)-1:]
	}
	return out
}

// meetsEvent judges whether an event happens in time and the expected number of
// times.
func (p *performance) meetsEvent(e Expectation, from, to time.Duration) (bool, string) {
	pat, err := parsePattern(e.Event)
	if err != nil {
		return false, err.Error()
	}
	found := p.matching(pat, from, to)
	if e.Count != "" {
		n := fmt.Sprint(len(found))
		return parseBound(e.Count).holds(n), "it happened " + n + " times" + p.instead(pat, len(found) == 0)
	}
	if len(found) == 0 {
		return false, "it did not happen" + p.instead(pat, true)
	}
	after := found[0].At - from
	switch {
	case e.After == "":
		return true, "at " + ms(found[0].At)
	case e.Within > 0 && after > time.Duration(e.Within)+p.stalled(from, found[0].At):
		return false, "it came after " + ms(after) + p.excuse(from, found[0].At)
	case after < time.Duration(e.NoSooner):
		return false, "it came after " + ms(after) + " already"
	}
	return true, "after " + ms(after) + p.excuse(from, found[0].At)
}

// excuse mentions time lost to stalls of the machine.
func (p *performance) excuse(from, to time.Duration) string {
	if lost := p.stalled(from, to); lost > 0 {
		return ", of which the machine stood still for " + ms(lost)
	}
	return ""
}

// instead lists the events of the kind that happened instead.
func (p *performance) instead(pat pattern, tell bool) string {
	if !tell {
		return ""
	}
	var seen []string
	for _, e := range p.result.Entries {
		if e.Kind != pat.kind || e.At > p.ended {
			continue
		}
		var values []string
		for _, c := range pat.where {
			values = append(values, c.field+"="+e.Fields[c.field])
		}
		seen = append(seen, strings.TrimSpace(strings.Join(values, " "))+" at "+ms(e.At))
	}
	if len(seen) == 0 {
		return "; there was no " + pat.kind + " at all"
	}
	return "; there was " + strings.Join(few(seen), ", ")
}

func (p *performance) absent(e Expectation, from, to time.Duration) (bool, string) {
	pat, err := parsePattern(e.Absent)
	if err != nil {
		return false, err.Error()
	}
	if found := p.matching(pat, from, to); len(found) > 0 {
		return false, fmt.Sprintf("it happened at %s", ms(found[0].At))
	}
	return true, ""
}

// ordered judges whether events happen in order, with others between them
// allowed.
//
// The table and the stage each record their events in order, but on separate
// goroutines. Within the same moment of virtual time their relative order
// depends only on the machine.
func (p *performance) ordered(want []string) (bool, string) {
	all := p.result.Entries
	last, lastOf := -1, map[bool]int{true: -1, false: -1} // the last match, overall and of each kind
	follows := func(i int) bool {
		fromTable := all[i].Event != nil
		return i > last || last >= 0 && all[i].At == all[last].At && fromTable != (all[last].Event != nil) && i > lastOf[fromTable]
	}
	for _, text := range want {
		pat, err := parsePattern(text)
		if err != nil {
			return false, err.Error()
		}
		i := slices.IndexFunc(all, pat.fits)
		for i >= 0 && !follows(i) {
			next := slices.IndexFunc(all[i+1:], pat.fits)
			if i += next + 1; next < 0 {
				i = -1
			}
		}
		if i < 0 {
			return false, fmt.Sprintf("there was no %s in its place", text)
		}
		last = i
		lastOf[all[i].Event != nil] = i
	}
	return true, ""
}

// outcomes returns the outcomes of turns, by turn number.
func (p *performance) outcomes() []string {
	var ends []*table.TurnEnded
	for _, e := range p.result.Entries {
		if end, ok := e.Event.(*table.TurnEnded); ok && e.At <= p.ended {
			ends = append(ends, end)
		}
	}
	slices.SortStableFunc(ends, func(a, b *table.TurnEnded) int { return int(a.Turn - b.Turn) })
	out := make([]string, len(ends))
	for i, e := range ends {
		out[i] = string(e.Outcome)
	}
	return out
}

// heard lists the sentences that were played to the end.
func (p *performance) heard() []string {
	out := []string{}
	for _, s := range p.stage.wire.heard() {
		out = append(out, s.text)
	}
	return out
}

// ledger judges ledger fields of one turn, or of every turn that an NPC
// answered, against their bounds.
func (p *performance) ledger(e Expectation) (bool, string) {
	looked := 0
	for _, entry := range p.result.Entries {
		end, ok := entry.Event.(*table.TurnEnded)
		if !ok || e.Turn != 0 && end.Turn != int64(e.Turn) || e.Turn == 0 && end.NPC == "" {
			continue
		}
		looked++
		for _, field := range sortedKeys(e.Ledger) {
			value := entry.Fields["ledger."+field]
			if limit := parseBound(e.Ledger[field]); !limit.holds(value) && !limit.holds(p.less(value, entry.At)) {
				return false, fmt.Sprintf("%s is %q in turn %d", field, value, end.Turn)
			}
		}
	}
	if looked == 0 {
		return false, "no such turn has ended"
	}
	return true, ""
}

// breath is how long a synthesiser pauses between two sentences.
const breath = 700 * time.Millisecond

// less returns a ledger time at a moment, minus the machine's stalls before it.
func (p *performance) less(value string, at time.Duration) string {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || len(p.stalls) == 0 {
		return value
	}
	return strconv.FormatFloat(max(0, v-mcp.RoundedMillis(p.stalled(0, at))), 'f', -1, 64)
}

// sound judges silence, or sound without gaps, between two times.
func (p *performance) sound(wanted bool, from, to time.Duration) (bool, string) {
	at, gap := from, leastPause
	if p.options.Speech != nil {
		gap = breath
	}
	for _, v := range p.stage.wire.voices() {
		begin, end := v.from.Sub(p.stage.rec.start), v.to.Sub(p.stage.rec.start)
		if end <= from || begin >= to {
			continue
		}
		if !wanted {
			return false, fmt.Sprintf("%s sounds at %s", v.npc, ms(max(begin, from)))
		}
		if begin > at+gap+p.stalled(at, begin) {
			break
		}
		at = end
	}
	if wanted && at+gap+p.stalled(at, to) < to {
		return false, fmt.Sprintf("there is silence at %s", ms(at))
	}
	return true, ""
}

// opinion asks the judge about an answer.
func (p *performance) opinion(ctx context.Context, line int, e Expectation) {
	v := Verdict{File: p.scene.File, Line: line, Scene: p.scene.Title, Engine: p.scene.Engine, Expect: "judge: " + e.Judge}
	from, to, _ := p.counted(e)
	pat, err := parsePattern(e.Event)
	found := p.matching(pat, from, to)
	switch {
	case p.options.Judge == nil:
		v.Skipped, v.Message = true, "nobody judges; use --judge"
	case err != nil || len(found) == 0:
		v.Message = "there is no answer to judge"
	default:
		said := ""
		for _, u := range p.result.Entries {
			if u.Kind == table.KindUtterance && u.Fields["turn"] == found[0].Fields["turn"] {
				said = u.Fields["text"]
			}
		}
		v.OK, v.Message, err = p.options.Judge(ctx, said, found[0].Fields["text"], e.Judge)
		if err != nil {
			v.OK, v.Message = false, "asking the judge: "+err.Error()
		}
	}
	p.result.Verdicts = append(p.result.Verdicts, v)
}

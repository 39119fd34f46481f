package table_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// referee checks a table's events, lines and sound.
type referee struct {
	*room
	faults []string
}

func (j *referee) fault(format string, args ...any) {
	j.faults = append(j.faults, fmt.Sprintf(format, args...))
}

// turns checks the events of all turns.
func (j *referee) turns() {
	ends, said, barged := map[int64]*table.TurnEnded{}, map[int64][]string{}, map[int64]bool{}
	called, sounded := map[int64]bool{}, map[int64]bool{}
	var wrote []int64
	due := map[int64]bool{}
	for _, e := range of[table.Event](j.events) {
		n := table.HeaderOf(e).Turn
		if ends[n] != nil && n > 0 {
			j.fault("turn %d goes on after its end: %+v", n, e)
		}
		switch e := e.(type) {
		case *table.Heard:
			if due[n] && !e.Continued {
				j.fault("turn %d has two utterances", n)
			}
			due[n] = true
		case *table.TurnStarted:
			due[n] = true
			called[n] = !e.MayDecline
			if e.MayDecline && (e.Route == table.RoutePuppet || e.Route == table.RouteReaction) {
				j.fault("turn %d may be declined: %+v", n, e)
			}
		case *table.AudioStarted:
			sounded[n] = true
		case *table.Sentence:
			said[n] = append(said[n], e.Text)
		case *table.Filler:
			said[n] = append(said[n], e.Text)
		case *table.Barge:
			barged[n] = true
		case *table.ToolFinished:
			if e.Tool == "write" && e.OK {
				wrote = append(wrote, n)
			}
		case *table.TurnEnded:
			ends[n] = e
			if e.Ledger.Budget == "" || e.Outcome == table.OutcomeFailed && e.Ledger.BreachStage == "" {
				j.fault("turn %d is not accounted for: %+v", n, e)
			}
		}
	}
	for n := range due {
		if ends[n] == nil {
			j.fault("turn %d never ends", n)
		}
	}
	for n, e := range ends {
		if got := strings.Join(said[n], " "); got != e.Text {
			j.fault("turn %d ends with %q, delivered was %q", n, e.Text, got)
		}
		if e.Outcome == table.OutcomePassed && (e.Text != "" || sounded[n] || called[n] || e.Ledger.Budget != "met") {
			j.fault("turn %d was passed by: %+v, audible: %v, called: %v", n, e, sounded[n], called[n])
		}
		if strings.Contains(strings.ToLower(e.Text), "[silent]") {
			j.fault("turn %d says that it says nothing: %q", n, e.Text)
		}
		if barged[n] != (e.Outcome == table.OutcomeBarged) {
			j.fault("turn %d ends %s, barge told: %v", n, e.Outcome, barged[n])
		}
	}
	if len(wrote) != *j.wrote {
		j.fault("%d writes were told, %d done", len(wrote), *j.wrote)
	}
	for _, n := range wrote {
		if e := ends[n]; e == nil || e.Outcome != table.OutcomeDelivered {
			j.fault("turn %d wrote, and ended %+v", n, e)
		}
	}
}

// told checks that no prompt has words that were retracted before it.
func (j *referee) told(m *mail, all []begun) {
	for word, since := range m.stale {
		for _, b := range all {
			if b.at.After(since) && strings.Contains(b.prompt, word) {
				j.fault("%s was taken back at %v, and a model is given at %v\n%s", word, since, b.at, b.prompt)
				break
			}
		}
	}
}

// present checks that only NPCs at the table speak.
func (j *referee) present(casts []casting) {
	for _, e := range of[table.Event](j.events) {
		var npc string
		switch e := e.(type) {
		case *table.TurnStarted:
			npc = e.NPC
		case *table.AudioStarted:
			npc = e.NPC
		case *table.Sentence:
			npc = e.NPC
		default:
			continue
		}
		h := table.HeaderOf(e)
		for i, c := range casts {
			now := h.Time.After(c.at) && (i+1 == len(casts) || h.Time.Before(casts[i+1].at))
			if now && !slices.Contains(c.npcs, npc) {
				j.fault("%s is not at the table: %+v", npc, e)
			}
		}
	}
}

// raises checks the events of tiers.
func (j *referee) raises() {
	raised := map[string]bool{}
	for _, e := range of[*table.Tier](j.events) {
		ends := e.Change == table.TierLowered || e.Change == table.TierExpired
		if ends && !raised[e.NPC] {
			j.fault("a raise ends that is none: %+v", e)
		}
		if ends || e.Change == table.TierRaised {
			raised[e.NPC] = !ends
		}
	}
	for npc, still := range raised {
		if still {
			j.fault("the raise of %s never ends", npc)
		}
	}
}

// transcript compares the stored lines with the spoken ones.
func (j *referee) transcript(m *mail) {
	said := map[int64]string{}
	for _, e := range of[*table.Heard](j.events) {
		said[e.Turn] = e.Text
	}
	written := map[string]int{}
	for _, l := range j.journal.kept() {
		if l.NPC != "" {
			continue
		}
		if l.Ref != "" {
			written[l.Ref]++
			if l.Text != m.text[l.Ref] {
				j.fault("message %s is kept as %q, it reads %q", l.Ref, l.Text, m.text[l.Ref])
			}
		} else if l.Text != said[l.Turn] {
			j.fault("turn %d is kept as %q, said was %q", l.Turn, l.Text, said[l.Turn])
		}
		delete(said, l.Turn)
	}
	for ref, text := range m.text {
		if want := min(len(text), 1); written[ref] != want {
			j.fault("message %s, %q, is kept %d times", ref, text, written[ref])
		}
	}
	for turn, text := range said {
		if text != "" && !strings.HasSuffix(text, "x") { // a written line
			j.fault("turn %d, %q, is not kept", turn, text)
		}
	}
	var want []string
	for _, e := range of[*table.TurnEnded](j.events) {
		if e.Text != "" {
			want = append(want, e.NPC+": "+e.Text)
		}
	}
	var got []string
	for _, l := range j.journal.kept() {
		if l.NPC != "" {
			got = append(got, l.Speaker+": "+l.Text)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		j.fault("kept was %q, said was %q", got, want)
	}
}

// wire compares the sound with the events.
func (j *referee) wire() {
	type span struct{ from, to time.Time }
	spans := map[string][]span{}
	open := map[int64]time.Time{}
	for _, e := range of[table.Event](j.events) {
		h := table.HeaderOf(e)
		switch e := e.(type) {
		case *table.AudioStarted:
			open[h.Turn] = h.Time
		case *table.TurnEnded:
			at, ok := open[h.Turn]
			if !ok { // cut before its first frame arrived
				at = h.Time.Add(-audio.FrameDuration)
			}
			spans[e.NPC] = append(spans[e.NPC], span{at, h.Time})
		}
	}
	voices := map[string]string{"mira": "Mira", "bart": "Bartok the Barkeep", "zed": "Zedekia"}
	var last time.Time
	for _, f := range j.room.wire.heard() {
		if f.sample == 0 { // end of a fade
			continue
		}
		npc, known := voices[f.voice()]
		if !known {
			j.fault("two voices at once: a sample of %d at %v", f.sample, f.at)
			return
		}
		if f.at.Equal(last) {
			j.fault("two frames at %v", f.at)
		}
		last = f.at
		if !slices.ContainsFunc(spans[npc], func(s span) bool {
			return !f.at.Before(s.from.Add(-ms)) && !f.at.After(s.to.Add(20*ms))
		}) {
			j.fault("%s sounds at %v, outside of its turns", npc, f.at)
			return
		}
	}
}

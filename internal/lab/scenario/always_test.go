package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/rig"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// TestWhatAlwaysHoldsIsHeld checks with forged logs that each rule notices a
// violation, because no real table should cause one.
func TestWhatAlwaysHoldsIsHeld(t *testing.T) {
	event := func(at time.Duration, kind string, fields ...string) Entry {
		e := Entry{At: at, Kind: kind, Fields: map[string]string{"turn": "1"}}
		for i := 0; i < len(fields); i += 2 {
			e.Fields[fields[i]] = fields[i+1]
		}
		return e
	}
	whole := func() []Entry {
		return []Entry{
			event(0, table.KindUtterance), event(0, table.KindTurnStarted, "npc", "Mira"),
			event(2*time.Second, table.KindSentence, "text", "Aye."), event(2*time.Second, table.KindTurnEnded, "text", "Aye."),
		}
	}
	for _, row := range []struct {
		name    string
		rule    func(*performance) string
		entries []Entry
		kept    []line
		sound   func(w *wire, start time.Time)
		want    string
	}{
		{"no_end", (*performance).endsOnce, whole()[:3], nil, nil, "turn 1 ended 0 times"},
		{"two_ends", (*performance).endsOnce, append(whole(), whole()[3]), nil, nil, "turn 1 ended 2 times"},
		{"one_end", (*performance).endsOnce, whole(), nil, nil, ""},
		{"sounds_in_its_turn", (*performance).ownTurn, whole(), nil, func(w *wire, at time.Time) { sing(w, at.Add(time.Second), "Mira", "Aye.") }, ""},
		{"sounds_after_its_end", (*performance).ownTurn, whole(), nil, func(w *wire, at time.Time) { sing(w, at.Add(1900*time.Millisecond), "Mira", "Aye.") }, "outside its turns"},
		{"another_sounds", (*performance).ownTurn, whole(), nil, func(w *wire, at time.Time) { sing(w, at.Add(time.Second), "Bart", "Aye.") }, "outside its turns"},
		{"two_at_once", (*performance).oneVoice, whole(), nil, func(w *wire, at time.Time) {
			frame := audio.Frame(rig.Speech(120, audio.FrameDuration, -10))
			w.fileFrame(at, &frame)
		}, "no single sentence"},
		{"kept_and_heard", (*performance).keptIsHeard, whole(), []line{{"Mira", "Aye.", "1"}}, func(w *wire, at time.Time) { sing(w, at, "Mira", "Aye.") }, ""},
		{"not_heard", (*performance).keptIsHeard, whole(), []line{{"Mira", "Aye.", "1"}}, nil, "did not sound"},
		{"not_kept", (*performance).keptIsHeard, whole(), nil, func(w *wire, at time.Time) { sing(w, at, "Mira", "Aye.") }, "nothing of it was kept"},
		{"kept_more", (*performance).keptIsHeard, whole(), []line{{"Mira", "Aye. Nay.", "1"}}, nil, "delivered"},
		{"taken_back", (*performance).keptIsHeard, append(whole(), event(3*time.Second, table.KindUnsaid)), nil, func(w *wire, at time.Time) { sing(w, at, "Mira", "Aye.") }, ""},
		{"taken_back_and_kept", (*performance).keptIsHeard, append(whole(), event(3*time.Second, table.KindUnsaid)), []line{{"Mira", "Aye.", "1"}}, func(w *wire, at time.Time) { sing(w, at, "Mira", "Aye.") }, "which was taken back"},
		{"told_more", (*performance).keptIsHeard, append(whole()[:3], event(time.Second, table.KindTurnEnded, "text", "Aye. Nay.")), []line{{"Mira", "Aye.", "1"}}, nil, "ended with"},
		{"restless", (*performance).rests, whole()[:3], nil, nil, "did not end by themselves: 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			rec := newRecord()
			st := &stage{rec: rec, wire: newWire(rec, false)}
			if row.sound != nil {
				row.sound(st.wire, rec.start)
			}
			p := &performance{scene: blank(), options: &Options{}, stage: st, npcs: row.kept, ended: 10 * time.Second, result: Result{Entries: row.entries}}
			if got := row.rule(p); !strings.Contains(got, row.want) || (row.want == "") != (got == "") {
				t.Errorf("broken: %q, want %q", got, row.want)
			}
		})
	}
}

// sing puts a sentence on the wire from a time on.
func sing(w *wire, at time.Time, npc, text string) {
	id := w.addSentence(npc, text)
	sound := tone(id, text)
	w.learnSound(id, sound, true)
	for i, f := range framesOf(sound) {
		w.fileFrame(at.Add(time.Duration(i)*audio.FrameDuration), &f)
	}
}

func framesOf(samples []int16) []audio.Frame {
	var framer audio.Framer
	framer.Push(samples)
	var out []audio.Frame
	var f audio.Frame
	for framer.Next(&f) {
		out = append(out, f)
	}
	if framer.Flush(&f) {
		out = append(out, f)
	}
	return out
}

func TestWireKnowsWhatItHears(t *testing.T) {
	rec := newRecord()
	w := newWire(rec, true)
	start := rec.start
	sing(w, start, "Mira", "Good evening.")
	sing(w, start.Add(2*time.Second), "Bart", "An ale?")
	half := tone(2, "This one is cut off.")
	id := w.addSentence("Bart", "This one is cut off.")
	w.learnSound(id, half, true)
	for i, f := range framesOf(half[:len(half)/2]) {
		w.fileFrame(start.Add(3*time.Second+time.Duration(i)*audio.FrameDuration), &f)
	}
	var got []string
	for _, s := range w.heard() {
		got = append(got, s.npc+": "+s.text)
	}
	if want := "[Mira: Good evening. Bart: An ale?]"; fmt.Sprint(got) != want {
		t.Errorf("heard %v, want %v", got, want)
	}
	voices := w.voices()
	if len(voices) != 3 || voices[0].npc != "Mira" || voices[1].npc != "Bart" {
		t.Fatalf("voices = %+v, want Mira, then Bart twice", voices)
	}
	if from := voices[1].from.Sub(start); from < 2*time.Second || from > 2*time.Second+time.Millisecond {
		t.Errorf("Bart is heard from %v, want the first sample after 2 s", from)
	}
	if n := len(w.sound); n < rig.SamplesIn(3*time.Second) {
		t.Errorf("kept %d samples, want all three seconds and more", n)
	}
}

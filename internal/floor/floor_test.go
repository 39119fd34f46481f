package floor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/floor"
)

// scene drives a floor in virtual time and logs its effects.
type scene struct {
	floor  *floor.Floor
	now    time.Duration
	timers map[floor.Timer]set
	log    []string
	ducks  bool // also log ducking
	// seen receives every effect.
	seen func(floor.Effect)
}

type set struct {
	serial uint64
	at     time.Duration
}

func newScene() *scene {
	return &scene{floor: floor.New(floor.Timing{Confirm: 250 * time.Millisecond}), timers: map[floor.Timer]set{}}
}

func (s *scene) apply(e floor.Event) {
	for _, effect := range append([]floor.Effect(nil), s.floor.Apply(e)...) {
		if s.seen != nil {
			s.seen(effect)
		}
		switch effect.Kind {
		case floor.SetTimer:
			s.timers[effect.Timer] = set{effect.Serial, s.now + effect.After}
		case floor.StopTimer:
			delete(s.timers, effect.Timer)
		case floor.Yield:
		default:
			name := map[floor.EffectKind]string{
				floor.Grant: "grant", floor.Pause: "pause", floor.Resume: "resume", floor.Cut: "cut", floor.Drop: "drop",
				floor.Duck: "duck", floor.Unduck: "unduck",
			}[effect.Kind]
			if (effect.Kind == floor.Duck || effect.Kind == floor.Unduck) && !s.ducks {
				continue
			}
			s.log = append(s.log, fmt.Sprintf("%d %s %d", s.now.Milliseconds(), name, effect.Turn))
		}
	}
}

// pass advances the clock; timers fire when they are due.
func (s *scene) pass(d time.Duration) {
	for end := s.now + d; ; {
		due, which := end, floor.Timer(-1)
		for t, timer := range s.timers {
			if timer.at < due || timer.at == due && which < 0 || timer.at == due && t < which {
				due, which = timer.at, t
			}
		}
		s.now = due
		if which < 0 {
			return
		}
		serial := s.timers[which].serial
		delete(s.timers, which)
		s.apply(floor.Event{Kind: floor.TimerExpired, Timer: which, Serial: serial})
	}
}

// play runs a script: events with one argument each, separated by commas; "+250" advances
// the clock by 250 ms.
func (s *scene) play(script string) string {
	for _, step := range strings.Split(script, ",") {
		var turn uint64
		word, arg, _ := strings.Cut(strings.TrimSpace(step), " ")
		_, _ = fmt.Sscan(arg, &turn)
		switch word {
		case "want", "insist", "dictate", "polite", "brief", "urgent":
			l := floor.Line{Turn: turn, Resumes: word != "brief"}
			switch word {
			case "insist":
				l.Manner = floor.Insists
			case "dictate":
				l.Manner = floor.Dictated
			case "polite":
				l.Manner = floor.FinishesSentence
			case "urgent":
				l.Priority = 1
			}
			s.apply(floor.Event{Kind: floor.Request, Line: l})
		case "react": // to the previous turn
			s.apply(floor.Event{Kind: floor.Request, Line: floor.Line{Turn: turn, After: turn - 1}})
		case "started":
			s.apply(floor.Event{Kind: floor.Started, Turn: turn})
		case "playing":
			s.apply(floor.Event{Kind: floor.Playing, Turn: turn})
		case "dry":
			s.apply(floor.Event{Kind: floor.Dry, Turn: turn})
		case "slow":
			s.apply(floor.Event{Kind: floor.Request, Line: floor.Line{Turn: turn, Confirm: time.Second}})
		case "sentence":
			s.apply(floor.Event{Kind: floor.SentenceEnd, Turn: turn})
		case "finished":
			s.apply(floor.Event{Kind: floor.Finished, Turn: turn})
		case "gone":
			s.apply(floor.Event{Kind: floor.Withdrawn, Turn: turn})
		case "on":
			s.apply(floor.Event{Kind: floor.VoiceOn, Speaker: arg})
		case "off":
			s.apply(floor.Event{Kind: floor.VoiceOff, Speaker: arg})
			s.apply(floor.Event{Kind: floor.Quiet, Speaker: arg})
		case "breath":
			s.apply(floor.Event{Kind: floor.VoiceOff, Speaker: arg})
		case "left":
			s.apply(floor.Event{Kind: floor.PlayerLeft, Speaker: arg})
		case "words", "order": // addressed to the line
			s.apply(floor.Event{Kind: floor.Interrupt, Order: word == "order"})
		case "unsure":
			s.apply(floor.Event{Kind: floor.PossiblyMeant})
		case "cough": // or words addressed to someone else
			s.apply(floor.Event{Kind: floor.NotMeant})
		default:
			var ms int
			if _, err := fmt.Sscanf(word, "+%d", &ms); err != nil {
				panic("no such step: " + step)
			}
			s.pass(time.Duration(ms) * time.Millisecond)
		}
	}
	return strings.Join(s.log, ", ")
}

func TestScenes(t *testing.T) {
	for _, row := range []struct{ name, script, want string }{
		{"the first line after silence waits for nothing", "+5000, want 1", "5000 grant 1"},
		{"one voice at a time, a breath between two", "want 1, started 1, want 2, +1000, finished 1, +1000", "0 grant 1, 1300 grant 2"},
		{"who comes when it is silent waits for nothing", "want 1, started 1, finished 1, +100, want 2, +1000", "0 grant 1, 100 grant 2"},
		{"a line wanted within the breath waits for its turn", "want 1, started 1, want 2, finished 1, +100, want 3, +200", "0 grant 1, 300 grant 2"},
		{"a line that was never heard leaves no breath behind", "want 1, gone 1, want 2", "0 grant 1, 0 grant 2"},
		{"the urgent comes first", "want 1, started 1, want 2, urgent 3, finished 1, +300", "0 grant 1, 300 grant 3"},
		{"a reaction follows what it reacts to", "want 1, started 1, want 5, react 2, finished 1, +300", "0 grant 1, 300 grant 2"},
		{"a player interrupts", "want 1, started 1, on ann, +1000, words, +1000", "0 grant 1, 250 pause 1, 1000 cut 1"},
		{"a cough does not", "want 1, started 1, on ann, +200, off ann, cough, +5000", "0 grant 1"},
		{"voicing adds up to nothing over a pause", "want 1, started 1, on ann, +200, off ann, +10, on ann, +200, off ann, +9000", "0 grant 1"},
		{"an mhm is talked over", "want 1, started 1, on ann, +300, off ann, +400, cough", "0 grant 1, 250 pause 1, 700 resume 1"},
		{"a gap between words is part of talking", "want 1, started 1, on ann, +180, breath ann, +60, on ann, +400", "0 grant 1, 250 pause 1"},
		{"but nothing stops in one", "want 1, started 1, on ann, +200, breath ann, +100, on ann, +100", "0 grant 1, 300 pause 1"},
		{"a voice that does not come back was nothing", "want 1, started 1, on ann, +200, breath ann, +300, on ann, +200, off ann, +1000", "0 grant 1"},
		{"nor is another that comes in the gap", "want 1, started 1, on ann, +200, breath ann, +100, on bob, +200, off bob, +1000", "0 grant 1"},
		{"nobody knows what it was: go on after a while", "want 1, started 1, on ann, +300, off ann, +3000", "0 grant 1, 250 pause 1, 2300 resume 1"},
		{"a brief line is not taken up again", "brief 1, started 1, on ann, +300, off ann, +3000", "0 grant 1, 250 pause 1, 2300 cut 1"},
		{"who goes on talking means it", "want 1, started 1, on ann, +300, off ann, +1900, on ann, +1000, off ann, words", "0 grant 1, 250 pause 1, 3200 cut 1"},
		{"the polite finish their sentence", "polite 1, started 1, on ann, +400, words, sentence 1, +500", "0 grant 1, 400 cut 1"},
		{"and wait there to hear what it is", "polite 1, started 1, on ann, +400, sentence 1, +500, words", "0 grant 1, 400 pause 1, 900 cut 1"},
		{"nor does a cough end their line", "polite 1, started 1, on ann, +400, off ann, cough, +100, sentence 1, +500", "0 grant 1"},
		{"even one that is known only after the sentence", "polite 1, started 1, on ann, +400, off ann, sentence 1, +500, cough", "0 grant 1, 400 pause 1, 900 resume 1"},
		{"nobody is talked over who is still speaking", "want 1, started 1, on ann, +300, on bob, off ann, cough, +1000", "0 grant 1, 250 pause 1"},
		{"a voice is counted beside the first, which falls silent", "want 1, started 1, on ann, on bob, +100, off ann, +300", "0 grant 1, 250 pause 1"},
		{"and a third one's from when that is silent", "want 1, started 1, on ann, +50, on bob, +10, on cem, +60, off bob, +80, off ann, +300", "0 grant 1, 370 pause 1"},
		{"each line waits for who talks", "on ann, want 1, +1000, started 1, finished 1, want 2, +1000, started 2, +250", "1000 grant 1, 2000 grant 2"},
		{"a sentence may be long", "want 1, started 1, +9000, playing 1, +9000, playing 1, +9000, finished 1", "0 grant 1"},
		{"a line that is read, not heard, may take its time", "want 1, sentence 1, dry 1, +60000, sentence 1, +9000, finished 1", "0 grant 1"},
		{"the DM's line is spoken to its end", "dictate 1, started 1, on ann, +4000, words, order, unsure, sentence 1, finished 1", "0 grant 1"},
		{"who insists goes on under words", "insist 1, started 1, on ann, +4000, words, unsure, sentence 1, finished 1", "0 grant 1"},
		{"until it is told to stop", "insist 1, started 1, on ann, +900, order", "0 grant 1, 900 cut 1"},
		{"words that may be meant stop a line at once", "want 1, started 1, on ann, +100, unsure, +100, off ann, words", "0 grant 1, 100 pause 1, 200 cut 1"},
		{"and let it go on if they were not", "want 1, started 1, on ann, +100, unsure, +100, off ann, cough", "0 grant 1, 100 pause 1, 200 resume 1"},
		{"or if that is never known", "want 1, started 1, unsure, +3000", "0 grant 1, 0 pause 1, 2000 resume 1"},
		{"so does a line that is read", "want 1, sentence 1, unsure, +100, cough, +60000, sentence 1, finished 1", "0 grant 1, 0 pause 1, 100 resume 1"},
		{"which words stop as well", "want 1, sentence 1, words", "0 grant 1, 0 cut 1"},
		{"the polite go on with the next sentence", "polite 1, started 1, on ann, +100, unsure, +100, off ann, cough, sentence 1, +500", "0 grant 1"},
		{"but not once one player means it", "polite 1, started 1, words, cough, sentence 1", "0 grant 1, 0 cut 1"},
		{"an interruption ends the reaction too, not what else waits", "want 1, started 1, react 2, want 5, on ann, +300, off ann, words, +300", "0 grant 1, 250 pause 1, 300 cut 1, 300 drop 2, 600 grant 5"},
		{"nobody is interrupted who is not heard", "want 1, on ann, +3000, started 1, +100, off ann", "0 grant 1"},
		{"who talks when it begins has to go on", "want 1, on ann, +500, started 1, +250", "0 grant 1, 750 pause 1"},
		{"a line waits for a player who talks", "on ann, want 1, +400, off ann", "400 grant 1"},
		{"a breath between two words gives no floor", "on ann, want 1, +400, breath ann, +240, on ann, +300, off ann", "940 grant 1"},
		{"but not for ever", "on ann, want 1, +3000", "1000 grant 1"},
		{"who was not waited for any longer does not interrupt by going on", "on ann, want 1, +1000, started 1, +5000, off ann, on ann, +300", "1000 grant 1, 6250 pause 1"},
		{"but another does", "on ann, want 1, +1000, started 1, +500, on bob, +250, off ann", "1000 grant 1, 1750 pause 1"},
		{"an NPC may be slower to yield", "slow 1, started 1, on ann, +2000", "0 grant 1, 1000 pause 1"},
		{"nobody interrupts an NPC who is silent for a moment", "want 1, started 1, sentence 1, dry 1, on ann, +3000, off ann, started 1, +100", "0 grant 1"},
		{"who talks when it goes on has to go on", "want 1, started 1, dry 1, on ann, +3000, started 1, +250", "0 grant 1, 3250 pause 1"},
		{"a line that was heard and has no more leaves a breath behind", "want 1, started 1, dry 1, want 2, finished 1, +300", "0 grant 1, 300 grant 2"},
		{"a line with nothing more to play loses the floor", "want 1, started 1, dry 1, +90000", "0 grant 1, 90000 cut 1"},
		{"words alone interrupt as well", "want 1, started 1, +100, words", "0 grant 1, 100 cut 1"},
		{"though not before anything is heard", "want 1, words, unsure, started 1", "0 grant 1"},
		{"and the polite finish their sentence", "polite 1, started 1, words, +400, sentence 1", "0 grant 1, 400 cut 1"},
		{"players who leave are silent", "on ann, want 1, +100, left ann", "100 grant 1"},
		{"a line stopped by an endless talker ends", "want 1, started 1, on ann, +30000", "0 grant 1, 250 pause 1, 20250 cut 1"},
		{"two talk, one stops", "want 1, started 1, on ann, on bob, +200, off bob, +50", "0 grant 1, 250 pause 1"},
		{"two short sounds are no long one", "want 1, started 1, on ann, +200, on bob, +30, off ann, +200, off bob, +500", "0 grant 1"},
		{"a line that has the floor and no sound loses it", "want 1, want 2, +10000", "0 grant 1, 10000 cut 1, 10000 grant 2"},
		{"a line that falls silent loses it", "want 1, started 1, +9000, sentence 1, +9999, +1", "0 grant 1, 19000 cut 1"},
		{"a muted NPC gives the floor back at once", "want 1, started 1, want 2, gone 1, +300", "0 grant 1, 0 grant 2"},
		{"what waits can go as well", "want 1, started 1, want 2, gone 2, finished 1, +500", "0 grant 1"},
		{"a line is wanted once", "want 1, want 1, started 1, want 1, finished 1, +500", "0 grant 1"},
		{"late news of a line mean nothing", "want 1, started 1, want 2, finished 1, +300, started 1, sentence 1, finished 1", "0 grant 1, 300 grant 2"},
		{"too many wait", "want 1, want 2, want 3, want 4, want 5, want 6, want 7, want 8, want 9, want 10", "0 grant 1, 0 drop 10"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := newScene().play(row.script); got != row.want {
				t.Errorf("%s\n got: %s\nwant: %s", row.script, got, row.want)
			}
		})
	}
}

// TestLinesDuck checks the default times: a line ducks after 200 ms and stops after 500
// ms.
func TestLinesDuck(t *testing.T) {
	for _, row := range []struct{ name, script, want string }{
		{"a line ducks, and stops", "want 1, started 1, on ann, +1000, words", "0 grant 1, 200 duck 1, 500 pause 1, 1000 cut 1"},
		{"an mhm is only ducked for", "want 1, started 1, on ann, +350, off ann, cough, +3000", "0 grant 1, 200 duck 1, 350 unduck 1"},
		{"a click is not", "want 1, started 1, on ann, +190, off ann, +3000", "0 grant 1"},
		{"words stop it at once", "want 1, started 1, on ann, +300, words, off ann", "0 grant 1, 200 duck 1, 300 cut 1"},
		{"two that mumble in turn are two mumbles", "want 1, started 1, on ann, +300, on bob, off ann, +300, off bob, +1000", "0 grant 1, 200 duck 1, 300 unduck 1, 500 duck 1, 600 unduck 1"},
		{"what falls silent comes back as loud as ever", "want 1, started 1, on ann, +300, dry 1, off ann, started 1", "0 grant 1, 200 duck 1, 300 unduck 1"},
		{"what goes on after a laugh too", "want 1, started 1, on ann, +900, off ann, cough, on bob, +250, off bob", "0 grant 1, 200 duck 1, 500 pause 1, 900 resume 1, 1100 duck 1, 1150 unduck 1"},
		{"the DM's line is not ducked", "insist 1, started 1, on ann, +1000", "0 grant 1"},
		{"nor a sentence that is finished", "polite 1, started 1, on ann, +400, off ann", "0 grant 1"},
		{"the next line is as loud as ever", "want 1, started 1, on ann, +300, gone 1, want 2, off ann, started 2, +1000", "0 grant 1, 200 duck 1, 300 grant 2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newScene()
			s.floor, s.ducks = floor.New(floor.Timing{}), true
			if got := s.play(row.script); got != row.want {
				t.Errorf("%s\n got: %s\nwant: %s", row.script, got, row.want)
			}
		})
	}
}

func TestWithoutAGapLinesFollowAtOnce(t *testing.T) {
	s := newScene()
	s.floor = floor.New(floor.Timing{Gap: -1})
	if got, want := s.play("want 1, started 1, want 2, +1000, finished 1"), "0 grant 1, 1000 grant 2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLateTimersDoNothing(t *testing.T) {
	s := newScene()
	var old []floor.Event
	s.seen = func(e floor.Effect) {
		if e.Kind == floor.SetTimer {
			old = append(old, floor.Event{Kind: floor.TimerExpired, Timer: e.Timer, Serial: e.Serial})
		}
	}
	s.play("want 1, started 1, on ann, +100, off ann, finished 1, +300, want 2, started 2")
	before := len(s.log)
	for _, e := range old[:len(old)-1] { // the last timer belongs to turn 2 and still runs
		s.apply(e)
	}
	for _, e := range []floor.Event{{Kind: floor.TimerExpired, Timer: -1, Serial: 1}, {Kind: floor.TimerExpired, Timer: 99, Serial: 1}, {Kind: floor.TimerExpired}} {
		s.apply(e)
	}
	if len(s.log) != before {
		t.Errorf("late timers did %v", s.log[before:])
	}
}

// TestAnyOrderOfEvents checks the floor's guarantees for any order of events.
func TestAnyOrderOfEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newScene()
		j := &judge{t: t, scene: s, lines: map[uint64]floor.Line{}, ended: map[uint64]string{}, paused: map[uint64]bool{}}
		s.seen = j.effect
		n := uint64(rapid.IntRange(1, 12).Draw(t, "lines"))
		players := []string{"ann", "bob"}
		for range rapid.IntRange(1, 80).Draw(t, "events") {
			turn := rapid.Uint64Range(1, n).Draw(t, "turn")
			player := rapid.SampledFrom(players).Draw(t, "player")
			switch rapid.IntRange(0, 12).Draw(t, "event") {
			case 0, 1:
				j.want(floor.Line{
					Turn: turn, Priority: rapid.IntRange(0, 2).Draw(t, "priority"), Resumes: rapid.Bool().Draw(t, "resumes"),
					Manner: floor.Manner(rapid.IntRange(0, 3).Draw(t, "manner")), After: rapid.Uint64Range(0, n).Draw(t, "after"),
				})
			case 2:
				j.played(floor.Started, turn)
			case 12:
				j.played(floor.Playing, turn)
			case 11:
				s.apply(floor.Event{Kind: floor.Interrupt, Order: rapid.Bool().Draw(t, "order")})
			case 10:
				j.played(floor.Dry, turn)
			case 3:
				j.played(floor.SentenceEnd, turn)
			case 4:
				j.played(floor.Finished, turn)
			case 5:
				j.played(floor.Withdrawn, turn)
			case 6:
				s.apply(floor.Event{Kind: floor.VoiceOn, Speaker: player})
			case 7:
				s.apply(floor.Event{Kind: rapid.SampledFrom([]floor.EventKind{floor.VoiceOff, floor.Quiet}).Draw(t, "off"), Speaker: player})
			case 8:
				s.apply(floor.Event{Kind: rapid.SampledFrom([]floor.EventKind{floor.NotMeant, floor.PossiblyMeant}).Draw(t, "words")})
			case 9:
				s.pass(time.Duration(rapid.IntRange(0, 3000).Draw(t, "ms")) * time.Millisecond)
			}
			j.check()
		}
		for _, p := range players {
			s.apply(floor.Event{Kind: floor.PlayerLeft, Speaker: p})
		}
		s.pass(time.Hour) // a silent turn loses the floor
		if turn, _ := s.floor.Speaking(); turn != 0 || len(s.floor.Waiting()) > 0 {
			t.Fatalf("the floor never came to rest: %d speaks, %v wait", turn, s.floor.Waiting())
		}
		for turn := range j.lines {
			if j.ended[turn] == "" {
				t.Fatalf("turn %d has no end", turn)
			}
		}
	})
}

// judge checks every effect of a floor.
type judge struct {
	t      *rapid.T
	scene  *scene
	lines  map[uint64]floor.Line
	ended  map[uint64]string
	paused map[uint64]bool
	ducked uint64
	holder uint64
}

func (j *judge) want(l floor.Line) {
	if _, used := j.lines[l.Turn]; used {
		return // a turn number is used once
	}
	j.lines[l.Turn] = l
	j.scene.apply(floor.Event{Kind: floor.Request, Line: l})
}

func (j *judge) played(kind floor.EventKind, turn uint64) {
	waits := false
	for _, w := range j.scene.floor.Waiting() {
		waits = waits || w == turn
	}
	if kind == floor.Finished && j.holder == turn || kind == floor.Withdrawn && (j.holder == turn || waits) {
		j.end(turn, "played")
	}
	j.scene.apply(floor.Event{Kind: kind, Turn: turn})
}

func (j *judge) end(turn uint64, how string) {
	if j.ended[turn] != "" {
		j.t.Fatalf("turn %d ends twice: %s, then %s", turn, j.ended[turn], how)
	}
	j.ended[turn] = how
	if j.holder == turn {
		j.holder = 0
	}
}

func (j *judge) effect(e floor.Effect) {
	if e.Kind == floor.SetTimer || e.Kind == floor.StopTimer || e.Kind == floor.Yield {
		return
	}
	if j.ended[e.Turn] != "" {
		j.t.Fatalf("effect %d for turn %d, which has ended", e.Kind, e.Turn)
	}
	line := j.lines[e.Turn]
	if e.Kind == floor.Duck || e.Kind == floor.Unduck {
		if down := e.Kind == floor.Duck; j.holder != e.Turn || j.paused[e.Turn] || (j.ducked == e.Turn) == down || line.Manner != floor.Yields {
			j.t.Fatalf("turn %d ducks (%v): holder %d, ducked %d, paused %v", e.Turn, down, j.holder, j.ducked, j.paused[e.Turn])
		}
		j.ducked = 0
		if e.Kind == floor.Duck {
			j.ducked = e.Turn
		}
		return
	}
	j.ducked = 0 // any other effect ends ducking
	switch e.Kind {
	case floor.Grant:
		if j.holder != 0 {
			j.t.Fatalf("turn %d is granted the floor of turn %d", e.Turn, j.holder)
		}
		j.holder = e.Turn
	case floor.Pause:
		if j.holder != e.Turn || j.paused[e.Turn] || line.Manner >= floor.Insists {
			j.t.Fatalf("turn %d is paused: holder %d, paused %v, manner %d", e.Turn, j.holder, j.paused[e.Turn], line.Manner)
		}
		j.paused[e.Turn] = true
	case floor.Resume:
		if !j.paused[e.Turn] || !line.Resumes {
			j.t.Fatalf("turn %d resumes: paused %v, resumes %v", e.Turn, j.paused[e.Turn], line.Resumes)
		}
		j.paused[e.Turn] = false
	case floor.Cut:
		if j.holder != e.Turn || e.Reason == floor.Interrupted && line.Manner == floor.Dictated {
			j.t.Fatalf("turn %d is cut: holder %d, reason %d, manner %d", e.Turn, j.holder, e.Reason, line.Manner)
		}
		j.end(e.Turn, "cut")
	case floor.Drop:
		if j.holder == e.Turn {
			j.t.Fatalf("turn %d is dropped while it has the floor", e.Turn)
		}
		j.end(e.Turn, "dropped")
	}
}

func (j *judge) check() {
	if turn, heard := j.scene.floor.Speaking(); turn != j.holder || heard && j.paused[turn] {
		j.t.Fatalf("the floor says %d speaks (heard %v), its effects say %d", turn, heard, j.holder)
	}
}

func BenchmarkInterruption(b *testing.B) {
	f := floor.New(floor.Timing{})
	b.ReportAllocs()
	for i := range b.N {
		turn := uint64(i + 1)
		f.Apply(floor.Event{Kind: floor.Request, Line: floor.Line{Turn: turn}})
		f.Apply(floor.Event{Kind: floor.Started, Turn: turn})
		f.Apply(floor.Event{Kind: floor.VoiceOn, Speaker: "ann"})
		f.Apply(floor.Event{Kind: floor.VoiceOff, Speaker: "ann"})
		f.Apply(floor.Event{Kind: floor.Withdrawn, Turn: turn})
		f.Apply(floor.Event{Kind: floor.TimerExpired, Timer: floor.TimerGap, Serial: uint64(1 << 62)})
	}
}

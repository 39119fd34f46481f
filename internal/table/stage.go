package table

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/elapsed"
	"github.com/MrWong99/glyphoxa/internal/floor"
	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/problem"
)

// manners are the floor's words for the configuration's.
var manners = map[string]floor.Manner{
	config.StyleYields:           floor.Yields,
	config.StyleFinishesSentence: floor.FinishesSentence,
	config.StyleInsists:          floor.Insists,
}

func gone(a *attempt) floor.Event { return floor.Event{Kind: floor.Gone, Turn: a.id} }

// want asks for the floor once there is something to hear, unless the player
// is still talking or the attempt is a guess.
func (t *Table) want(ctx context.Context, a *attempt) {
	if a.turn.phase != ready || a.turn.held {
		return
	}
	if l := a.turn.leader; l != nil && l.phase < speaking {
		return // it reacts to what is said, not to what may be
	}
	a.asked = time.Now()
	t.move(a.turn, asking)
	t.floorEvent(ctx, floor.Event{Kind: floor.Want, Line: a.manner()})
}

// floorEvent tells the floor what happened and does what it asks for.
func (t *Table) floorEvent(ctx context.Context, e floor.Event) {
	effects := slices.Clone(t.floor.Apply(e))
	for _, e := range effects {
		t.effect(ctx, e)
	}
}

func (t *Table) effect(ctx context.Context, e floor.Effect) {
	switch e.Kind {
	case floor.Set:
		t.setTimer(ctx, e)
		return
	case floor.Stop:
		t.agenda.stop(e.Timer)
		return
	}
	a := t.attempts[e.Turn]
	if a == nil || a.turn.phase == cut {
		return // it has ended meanwhile
	}
	switch e.Kind {
	case floor.Grant:
		t.move(a.turn, speaking)
		a.turn.floor = time.Since(a.asked)
		t.mixer.Play(a.line)
		for _, b := range t.busy {
			if b.leader == a.turn {
				t.want(ctx, b.attempt)
			}
		}
	case floor.Pause:
		t.mixer.Pause(a.line)
		t.stopped(a)
	case floor.Yield:
		t.stopped(a)
	case floor.Resume:
		t.mixer.Resume(a.line)
	case floor.Drop:
		t.abandon(ctx, a, turnEnd{outcome: OutcomeCancelled, stage: "queue"})
	case floor.Cut:
		t.cut(ctx, a, e.Reason)
	}
}

// cut ends what is heard: a player took the floor, or nothing came.
func (t *Table) cut(ctx context.Context, a *attempt, why floor.Reason) {
	tn := a.turn
	if why == floor.Stalled {
		t.abandon(ctx, a, turnEnd{OutcomeFailed, "playback", tn.as.Name + " had the floor and nothing was heard"})
		return
	}
	t.silence(a)
	t.breaksOff(a)
	t.hearing.interrupted(tn.agent)
	t.emit(tn.number, KindBarge, &Barge{NPC: tn.as.Name, Speaker: t.voice, Text: strings.Join(tn.texts, " ")})
	t.abandon(ctx, a, turnEnd{outcome: OutcomeBarged})
}

// doubtStep is how often an interruption whose words are still being made out
// is looked at again, and doubtMost how long after it is no longer waited for
// them.
const (
	doubtStep = 500 * time.Millisecond
	doubtMost = 5 * time.Second
)

// setTimer has the floor told when one of its timers fires, but for two that
// know more than the clock: sound that still flows has not stalled, and an
// interruption whose words are still being made out stays in doubt.
func (t *Table) setTimer(ctx context.Context, e floor.Effect) {
	fired := floor.Event{Kind: floor.Fired, Timer: e.Timer, Serial: e.Serial}
	since, played := time.Now(), t.mixer.Stats().Frames
	var fire func()
	fire = func() {
		line, sounds := t.floor.Speaking()
		switch {
		case e.Timer == floor.TimerStall && sounds && t.mixer.Stats().Frames > played:
			t.floorEvent(ctx, floor.Event{Kind: floor.Playing, Turn: line})
		case e.Timer == floor.TimerDoubt && t.madeOut(line) && time.Since(since) < doubtMost:
			t.agenda.set(e.Timer, doubtStep, fire)
		default:
			t.floorEvent(ctx, fired)
		}
	}
	t.agenda.set(e.Timer, e.After, fire)
}

// stopped notes whose voices stopped a line.
func (t *Table) stopped(a *attempt) {
	for _, s := range t.seats {
		for i, p := range s.passages {
			if s.voicing && i == len(s.passages)-1 || p.line == a.id && (p.open || p.due > 0) {
				p.stopped = a.id
			}
		}
	}
}

// madeOut reports whether it is yet to be known what somebody said who stopped
// a line.
func (t *Table) madeOut(line uint64) bool {
	for _, s := range t.seats {
		if slices.ContainsFunc(s.passages, func(p *passage) bool { return p.stopped == line && (p.open || p.due > 0) }) {
			return true
		}
	}
	return false
}

// voicing lists the players who voice now, in no order.
func (t *Table) voicing() []string {
	var who []string
	for name, s := range t.seats {
		if s.voicing {
			who = append(who, name)
		}
	}
	return who
}

// played takes in what the mixer has done.
func (t *Table) played(ctx context.Context) {
	t.notes = t.mixer.Take(t.notes[:0])
	for i, n := range t.notes {
		a := t.attempts[n.Line]
		if a == nil || a.turn.phase == cut {
			continue // it was cut meanwhile
		}
		last := i+1 < len(t.notes) && t.notes[i+1].Line == n.Line && t.notes[i+1].Kind == mixer.Finished
		t.note(ctx, a, n, last)
	}
}

// note takes in one note of the mixer; last says that Finished follows.
func (t *Table) note(ctx context.Context, a *attempt, n mixer.Note, last bool) {
	tn := a.turn
	if !a.passed.IsZero() && n.Kind != mixer.Dry { // the next sentence followed at once
		t.sounded(tn, a.substance(), a.passed)
	}
	a.passed = time.Time{}
	switch n.Kind {
	case mixer.Started:
		t.began(a, n)
		t.floorEvent(ctx, floor.Event{Kind: floor.Started, Turn: a.id})
	case mixer.Dry:
		t.floorEvent(ctx, floor.Event{Kind: floor.Dry, Turn: a.id})
	case mixer.SentenceEnded:
		t.delivered(a, n.At)
		if !last { // after the last one there is nothing to be cut off
			t.floorEvent(ctx, floor.Event{Kind: floor.SentenceEnd, Turn: a.id})
		}
	case mixer.Finished:
		t.move(tn, spoken)
		for _, b := range t.busy {
			if b.leader == tn { // it could not have spoken before
				b.since = n.At
			}
		}
		t.floorEvent(ctx, floor.Event{Kind: floor.Finished, Turn: a.id})
		t.settle(ctx, a)
	case mixer.Failed:
		t.Notice(tn.number, "warning", "the sound could not be played, the text goes on: "+problem.OneLine(n.Err))
	}
}

// began takes in the first sound, or the first after a silence.
func (t *Table) began(a *attempt, n mixer.Note) {
	tn := a.turn
	t.sounded(tn, a.substance(), n.At)
	if !tn.audible {
		tn.audible = true
		t.emit(tn.number, KindAudioStarted, &AudioStarted{NPC: tn.as.Name})
	}
}

// delivered takes in a sentence that was said to its end.
func (t *Table) delivered(a *attempt, at time.Time) {
	if a.ended >= len(a.said) {
		return
	}
	tn, s := a.turn, a.said[a.ended]
	name := tn.as.Name
	if tn.audible {
		a.passed = at
	} else { // read, not heard
		t.sounded(tn, s.kind == answer, at)
	}
	a.ended++
	t.lately = remember(t.lately, remark{s.text, at})
	t.filled[tn.agent] = s.kind == filler
	tn.texts = append(tn.texts, s.text)
	if s.kind == filler {
		t.emit(tn.number, KindFiller, &Filler{NPC: name, Text: s.text})
		return
	}
	tn.answer = append(tn.answer, s.text)
	t.emit(tn.number, KindSentence, &Sentence{NPC: name, Text: s.text})
}

// silence stops what is heard of an attempt, and takes in what was said to its
// end until then.
func (t *Table) silence(a *attempt) {
	t.mixer.Stop(a.line)
	for n := a.line.Ended(); a.ended < min(n, len(a.said)); {
		t.delivered(a, time.Now())
	}
}

// substance reports whether the sentence that plays is part of the answer.
func (a *attempt) substance() bool { return a.ended < len(a.said) && a.said[a.ended].kind == answer }

// sounded notes the first sound of a turn, and of its answer.
func (t *Table) sounded(tn *turn, substance bool, at time.Time) {
	since := max(elapsed.Rounded(at.Sub(tn.since)), 0.001) // 0 means never
	if tn.ledger.FirstSoundMS == 0 {
		tn.ledger.FirstSoundMS = since
	}
	if substance && tn.ledger.FirstSubstanceMS == 0 {
		tn.ledger.FirstSubstanceMS = since
	}
}

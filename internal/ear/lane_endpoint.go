package ear

import (
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// firstPause is what a speaker's pauses are taken for before any is known.
	firstPause = time.Second / 3
	// leastPause is the shortest silence that is a pause between words rather
	// than part of one.
	leastPause = 150 * time.Millisecond
	// mostPause is the longest silence between two utterances that is learnt as a
	// pause within one, if something was missing; openPause, if the words may have been
	// all; soonPause the longest after the end, whatever the words.
	openPause = 1500 * time.Millisecond
	mostPause = 2500 * time.Millisecond
	soonPause = 600 * time.Millisecond
	// remembered is how many pauses and ends are remembered one by one.
	remembered = 8
)

// endpointer decides how long a silence ends an utterance: half as long again
// as the speaker's pauses usually are, and unless the words are complete
// a little longer than the second longest of the newest: a pause that comes again is a
// habit.
type endpointer struct {
	least, most time.Duration
	pause       time.Duration             // moving average
	newest      [remembered]time.Duration // pauses, and zero for an end
	at          int                       // of the oldest of these
}

func newEndpointer(least, most time.Duration) endpointer {
	return endpointer{least: least, most: most, pause: firstPause}
}

// Outlook is what the words say, as far as they are known, of whether the speaker has
// ended.
type Outlook int

const (
	// Unknown: there are no words.
	Unknown Outlook = iota
	// Open: they tell neither.
	Open
	// Complete: nothing is missing, as in a question.
	Complete
	// Unfinished: something must follow, as after "and".
	Unfinished
	// Awaited: there are no words yet, but they are on their way.
	Awaited
)

const (
	// unfinishedLeast is the least that is waited for what must follow.
	unfinishedLeast = 1600 * time.Millisecond
	// openLeast is the least that is waited for words that tell neither: nothing is ready
	// to be heard before, and who begins to speak again by then is not answered.
	openLeast = 400 * time.Millisecond
	// awaitedLeast is the least that is waited for words: without them nothing could
	// be answered.
	awaitedLeast = time.Second
)

// delay is how long a silence ends an utterance of such an outlook: two fifths of what it is
// without words for one that is complete, and three times as long for one that is not.
func (e *endpointer) delay(o Outlook) time.Duration {
	if e.least == e.most {
		return e.most
	}
	wait := max(e.pause*3/2, e.least)
	switch o {
	case Complete:
		wait = max(wait*2/5, e.least/2)
	case Open: // a statement: whoever goes on with it does so soon, and is taken back
		wait = max(e.pause, e.least, openLeast)
	case Unfinished:
		wait = max(wait*3, unfinishedLeast)
	case Awaited:
		wait = max(wait, awaitedLeast)
	}
	if habit := e.habit(); o != Complete && habit > 0 {
		wait = max(wait, habit*9/8)
	}
	return min(wait, e.most)
}

// habit is the second longest of the newest pauses, zero if there are not two.
func (e *endpointer) habit() time.Duration {
	var first, second time.Duration
	for _, p := range e.newest {
		first, second = max(first, p), max(second, min(first, p))
	}
	return second
}

// noteNewest remembers a pause, or with zero an end.
func (e *endpointer) noteNewest(pause time.Duration) {
	e.newest[e.at] = pause
	e.at = (e.at + 1) % remembered
}

// Expect tells what the words so far say of the end of the utterance. It counts until
// the speaker is heard again. It is for the lane's owner.
func (l *Lane) Expect(o Outlook) { l.outlook = o }

// learnPause takes in a pause after which the speaker went on.
func (e *endpointer) learnPause(pause time.Duration) {
	if pause >= leastPause {
		e.pause += (min(pause, e.most) - e.pause) / 4
	}
	if pause >= firstPause { // shorter ones end nothing
		e.noteNewest(min(pause, e.most))
	}
}

// isPause reports whether a silence after which the speaker goes on was one within what
// they say: since the end, and in all, with the outlook that there was. Who goes on
// after an answer was heard may as well be answering that, and who goes on late without
// one talks to others.
func isPause(since, whole time.Duration, o Outlook, answered bool) bool {
	switch {
	case since <= soonPause:
		return true
	case o == Complete || whole > mostPause:
		return false
	case o == Unfinished:
		return true
	case answered && o != Open:
		return false
	}
	return whole <= openPause
}

// hearFrame takes in one frame, which is l.silence or the newest of the ring.
func (l *Lane) hearFrame(f *audio.Frame) {
	change := l.judgeFrame(f)
	pause := l.countFrame(change)
	if l.open {
		l.length++
		l.changeWithin(change, pause)
		l.emit(LaneEvent{Kind: Sound, Frame: f})
	} else {
		l.kept = min(l.kept+1, history-batch)
		if change == started {
			l.beginUtterance()
		}
	}
	if !l.open {
		return
	}
	switch {
	case frames(l.length) >= l.opts.MaxUtterance:
		l.cutUtterance()
	case !l.voicing.on && !l.voicing.mayStart() && frames(l.silent) >= l.endpoint.delay(l.outlook):
		l.endUtterance(LaneEvent{Endpoint: l.now.Sub(l.voiced)})
	}
}

// judgeFrame has the detector judge a frame. An onset that it noticed late begins where
// the sound does.
func (l *Lane) judgeFrame(f *audio.Frame) change {
	p := l.det.Process(f)
	if l.late == nil {
		return l.voicing.judgeFrame(p, startAt)
	}
	change := l.voicing.judgeFrame(p, l.late.surely())
	if change == started {
		most := l.kept
		if l.open {
			most = l.silent
		}
		before := l.late.soundBefore(l.voicing.span)
		l.voicing.span += max(min(before, most+1-l.voicing.span), 0)
	}
	return change
}

// countFrame keeps the times of voice and silence and returns, when voicing
// starts, how long the silence before it was.
func (l *Lane) countFrame(change change) (pause time.Duration) {
	switch {
	case change == started:
		pause = frames(l.silent + 1 - l.voicing.span)
		l.silent, l.outlook = 0, Unknown
		l.voiced = l.heard
		if l.open {
			l.speech += l.voicing.voiced
		}
	case l.voicing.on && l.voicing.heard:
		l.silent, l.outlook = 0, Unknown
		l.voiced = l.heard
		l.speech++
	default:
		l.silent++
	}
	return pause
}

// changeWithin tells what a change means inside an utterance.
func (l *Lane) changeWithin(change change, pause time.Duration) {
	switch change {
	case started:
		l.endpoint.learnPause(pause)
		l.emit(LaneEvent{Kind: VoiceResumed, At: l.heard.Add(-frames(l.voicing.span))})
	case stopped:
		l.emit(LaneEvent{Kind: VoiceStopped})
	}
}

// beginUtterance opens an utterance, or the last one again, with the sound kept from
// before the onset.
func (l *Lane) beginUtterance() {
	before := frames(l.voicing.span)
	kind := VoiceStarted
	pause := l.heard.Add(-before).Sub(l.ended)
	if !l.ended.IsZero() && isPause(pause, pause+l.tail, l.last, l.sealed >= l.id) { // the end came too early
		l.endpoint.learnPause(pause + l.tail)
	}
	if pause <= l.opts.Merge && !l.ended.IsZero() && l.sealed < l.id {
		kind = UtteranceContinued
	} else {
		l.id++
		l.length, l.speech = 0, 0
	}
	l.open = true
	l.speech += l.voicing.voiced
	l.emit(LaneEvent{Kind: kind, At: l.heard.Add(-before)})
	n := min(l.kept, l.roll+l.voicing.span)
	for i := n; i > 0; i-- {
		at := l.heard.Add(-frames(i - 1))
		l.emit(LaneEvent{Kind: Sound, At: at, Frame: &l.ring[(l.head-uint(i))%history]})
	}
	l.length += n
	l.kept = 0
}

// endUtterance closes the utterance.
func (l *Lane) endUtterance(e LaneEvent) {
	e.Kind = UtteranceEnded
	l.emit(e)
	l.open, l.ended, l.tail, l.last = false, l.heard, frames(l.silent), l.outlook
	l.endpoint.noteNewest(0)
}

// cutUtterance closes an utterance that grew too long; a speaker who still speaks goes
// on in the next.
func (l *Lane) cutUtterance() {
	l.endUtterance(LaneEvent{Cut: true})
	l.ended = time.Time{}
	if !l.voicing.on {
		return
	}
	l.id++
	l.open, l.length, l.speech = true, 0, 0
	l.emit(LaneEvent{Kind: VoiceStarted})
}

// emit adds an event of the newest utterance, at the time heard up to unless
// it says when.
func (l *Lane) emit(e LaneEvent) {
	e.Utterance = l.id
	if e.At.IsZero() {
		e.At = l.heard
	}
	switch {
	case l.voicing.on:
		e.Voiced = frames(l.voicing.voiced)
	case !l.voicing.mayStart():
		e.Silent = frames(l.silent)
	}
	e.Speech, e.Known = frames(l.speech), l.outlook != Unknown
	l.events = append(l.events, e)
}

// frames is how long n frames sound.
func frames(n int) time.Duration { return time.Duration(n) * audio.FrameDuration }

package ear

import (
	"time"

	"github.com/MrWong99/glyphoxa/pkg/audio"
)

const (
	// firstPause is the assumed length of a speaker's pauses before any is known.
	firstPause = time.Second / 3
	// leastPause is the shortest silence that counts as a pause between words rather than part of a word.
	leastPause = 150 * time.Millisecond
	// A silence between two utterances is learnt as a pause within one if it is at most mostPause and
	// something was missing, at most openPause if the words may have been complete, or if at most soonPause
	// followed the end, whatever the words.
	openPause = 1500 * time.Millisecond
	mostPause = 2500 * time.Millisecond
	soonPause = 600 * time.Millisecond
	// remembered is the number of pauses and ends that are remembered individually.
	remembered = 8
)

// endpointer decides which silence ends an utterance: one and a half times the speaker's average pause, and,
// unless the words are complete, a little more than the second longest of the recent pauses, because a pause
// that occurs twice is a habit.
type endpointer struct {
	least, most time.Duration
	pause       time.Duration             // moving average
	newest      [remembered]time.Duration // pauses; zero for an end
	at          int                       // index of the oldest of these
}

func newEndpointer(least, most time.Duration) endpointer {
	return endpointer{least: least, most: most, pause: firstPause}
}

// Outlook is what the words so far suggest about whether the speaker has finished.
type Outlook int

const (
	// Unknown means that there are no words.
	Unknown Outlook = iota
	// Open means that the words suggest neither.
	Open
	// Complete means that nothing is missing, as after a question.
	Complete
	// Unfinished means that something must follow, as after "and".
	Unfinished
	// Awaited means that the words have been requested but have not arrived.
	Awaited
)

const (
	// minUnfinishedWait is the minimum wait when something must follow.
	minUnfinishedWait = 1600 * time.Millisecond
	// minOpenWait is the minimum wait when the words suggest neither. No answer can be heard before that, and a
	// speaker who continues within it is not answered.
	minOpenWait = 400 * time.Millisecond
	// minAwaitedWait is the minimum wait for words, because without them there is nothing to answer.
	minAwaitedWait = time.Second
)

// delay returns the silence that ends an utterance with the given outlook. Compared to one without words, it
// is two fifths for a complete utterance and three times as long for an unfinished one.
func (e *endpointer) delay(o Outlook) time.Duration {
	if e.least == e.most {
		return e.most
	}
	wait := max(e.pause*3/2, e.least)
	switch o {
	case Complete:
		wait = max(wait*2/5, e.least/2)
	case Open: // a statement: a speaker who continues does so soon, and the answer is then taken back
		wait = max(e.pause, e.least, minOpenWait)
	case Unfinished:
		wait = max(wait*3, minUnfinishedWait)
	case Awaited:
		wait = max(wait, minAwaitedWait)
	}
	if habit := e.usualPause(); o != Complete && habit > 0 {
		wait = max(wait, habit*9/8)
	}
	return min(wait, e.most)
}

// usualPause returns the second longest of the recent pauses, or zero if there are not two.
func (e *endpointer) usualPause() time.Duration {
	var first, second time.Duration
	for _, p := range e.newest {
		first, second = max(first, p), max(second, min(first, p))
	}
	return second
}

// recordPause records a pause, or zero for an end.
func (e *endpointer) recordPause(pause time.Duration) {
	e.newest[e.at] = pause
	e.at = (e.at + 1) % remembered
}

// SetOutlook sets what the words so far suggest about the end of the utterance. It applies until the speaker's
// voice is heard again. Only the lane's owner may call it.
func (l *Lane) SetOutlook(o Outlook) { l.outlook = o }

// learnPause records a pause after which the speaker continued.
func (e *endpointer) learnPause(pause time.Duration) {
	if pause >= leastPause {
		e.pause += (min(pause, e.most) - e.pause) / 4
	}
	if pause >= firstPause { // shorter ones end nothing
		e.recordPause(min(pause, e.most))
	}
}

// isPause reports whether a silence between two utterances was a pause within what the speaker said. since is
// the time from the end, whole the complete silence, and o the outlook at the end. After an answer was heard,
// the speaker may be responding to it; without one, a speaker who continues late is probably talking to
// others.
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

// hearFrame processes one frame, which is l.silence or the newest of the ring.
func (l *Lane) hearFrame(f *audio.Frame) {
	change := l.judgeFrame(f)
	pause := l.countFrame(change)
	if l.open {
		l.length++
		l.changeWithin(change, pause)
		l.emit(LaneEvent{Kind: Sound, Frame: f})
	} else {
		l.unsentFrames = min(l.unsentFrames+1, history-batch)
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
	case !l.voicing.on && !l.voicing.mayStart() && frames(l.silentFrames) >= l.endpoint.delay(l.outlook):
		l.endUtterance(LaneEvent{Endpoint: l.now.Sub(l.voiced)})
	}
}

// judgeFrame passes a frame to the detector. If the detector noticed an onset late, the onset is moved to
// where the sound began.
func (l *Lane) judgeFrame(f *audio.Frame) change {
	p := l.det.Process(f)
	if l.lateDetector == nil {
		return l.voicing.judgeFrame(p, startAt)
	}
	change := l.voicing.judgeFrame(p, l.lateDetector.sureThreshold())
	if change == started {
		most := l.unsentFrames
		if l.open {
			most = l.silentFrames
		}
		before := l.lateDetector.soundBefore(l.voicing.span)
		l.voicing.span += max(min(before, most+1-l.voicing.span), 0)
	}
	return change
}

// countFrame updates the times of voice and silence. When voicing starts, it returns the length of the
// silence before it.
func (l *Lane) countFrame(change change) (pause time.Duration) {
	switch {
	case change == started:
		pause = frames(l.silentFrames + 1 - l.voicing.span)
		l.silentFrames, l.outlook = 0, Unknown
		l.voiced = l.heard
		if l.open {
			l.speech += l.voicing.voiced
		}
	case l.voicing.on && l.voicing.heard:
		l.silentFrames, l.outlook = 0, Unknown
		l.voiced = l.heard
		l.speech++
	default:
		l.silentFrames++
	}
	return pause
}

// changeWithin handles a change of voicing within an utterance.
func (l *Lane) changeWithin(change change, pause time.Duration) {
	switch change {
	case started:
		l.endpoint.learnPause(pause)
		l.emit(LaneEvent{Kind: VoiceResumed, At: l.heard.Add(-frames(l.voicing.span))})
	case stopped:
		l.emit(LaneEvent{Kind: VoiceStopped})
	}
}

// beginUtterance opens a new utterance, or reopens the last one, with the sound kept from before the onset.
func (l *Lane) beginUtterance() {
	before := frames(l.voicing.span)
	kind := VoiceStarted
	pause := l.heard.Add(-before).Sub(l.ended)
	if !l.ended.IsZero() && isPause(pause, pause+l.endSilence, l.last, l.sealed >= l.id) { // the end came too early
		l.endpoint.learnPause(pause + l.endSilence)
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
	n := min(l.unsentFrames, l.preRollFrames+l.voicing.span)
	for i := n; i > 0; i-- {
		at := l.heard.Add(-frames(i - 1))
		l.emit(LaneEvent{Kind: Sound, At: at, Frame: &l.ring[(l.head-uint(i))%history]})
	}
	l.length += n
	l.unsentFrames = 0
}

// endUtterance closes the utterance.
func (l *Lane) endUtterance(e LaneEvent) {
	e.Kind = UtteranceEnded
	l.emit(e)
	l.open, l.ended, l.endSilence, l.last = false, l.heard, frames(l.silentFrames), l.outlook
	l.endpoint.recordPause(0)
}

// cutUtterance closes an utterance that is too long. If the speaker is still talking, it opens the next.
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

// emit adds an event of the newest utterance. Without a time, it gets the time up to which sound was handled.
func (l *Lane) emit(e LaneEvent) {
	e.Utterance = l.id
	if e.At.IsZero() {
		e.At = l.heard
	}
	switch {
	case l.voicing.on:
		e.Voiced = frames(l.voicing.voiced)
	case !l.voicing.mayStart():
		e.Silent = frames(l.silentFrames)
	}
	e.Speech, e.Known = frames(l.speech), l.outlook != Unknown
	l.events = append(l.events, e)
}

// frames returns the duration of n frames.
func frames(n int) time.Duration { return time.Duration(n) * audio.FrameDuration }

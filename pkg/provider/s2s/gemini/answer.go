package gemini

import (
	"strconv"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// phase is where the answer to the last question stands.
type phase int

// The phases of an answer, each with its exits. What comes in idle and complete was
// not asked for, or is not wanted any more.
const (
	// idle: nothing was asked, or the answer was given up → waiting.
	idle phase = iota
	// waiting: asked, and nothing has come → answering, calling, complete, idle.
	waiting
	// answering: some of it has come → calling, complete, idle.
	answering
	// calling: it waits for results of tools → resumed, idle.
	calling
	// resumed: it has them, and nothing has come since → answering, calling, complete, idle.
	resumed
	// complete: all of it has come → waiting, idle.
	complete
)

// hung is after how much silence an answer that is given up counts as one that would
// never have come. Some models then take the next question for the end of that turn,
// and answer nothing.
const hung = 2 * time.Second

// maxTranscript bounds what is kept of what a player said, in bytes.
const maxTranscript = 32 << 10

// answers follows the service's turns, and tells what belongs to the answer that was
// asked for from what is left over of one that was given up. It does no I/O; its
// owner serves one call at a time.
//
// The service ends each of its turns with turnComplete, which may come long after
// the last of the answer: it waits until the sound should have been played. So a new
// question may be asked while older turns are open, and what is told of their end
// must not be taken for the new answer's.
type answers struct {
	phase phase
	async bool // tools do not hold the model up

	open  bool // the service has not ended the turn of the last question
	older int  // turns before that one that it has not ended; what comes is theirs
	// passed: all of an answer came while older turns were open, and was dropped.
	passed bool
	lost   bool // it cannot be told any more whose turn is whose; for good
	// since is when the service was asked, or had its results.
	since time.Time
	// callOpen: the part of an async turn that made calls has not ended.
	callOpen bool

	number  int  // of the answer, from 1
	begun   bool // that has been told
	cut     bool // it was interrupted
	part    int  // of the answer, from 1
	playing bool // the part is not complete
	samples int  // that came of the answer
	left    []byte
	strange bool // sound of another kind came, which is told once

	said  strings.Builder // by the player
	final bool            // that has been told
}

// startQuestion notes that a player begins to speak. What is on its way of the last
// answer is given up.
func (a *answers) startQuestion() []s2s.Event {
	events := a.giveUp()
	a.said.Reset()
	a.final = false
	return events
}

// ask notes that an answer is asked for.
func (a *answers) ask() []s2s.Event {
	events := a.giveUp()
	if a.open {
		a.older++
	}
	a.open, a.passed, a.callOpen = true, false, false
	a.phase, a.since = waiting, time.Now()
	a.number++
	a.begun, a.cut, a.part, a.samples, a.left = false, false, 0, 0, nil
	return events
}

// isUnderWay reports whether an answer was asked for and is not complete.
func (a *answers) isUnderWay() bool { return a.phase != idle && a.phase != complete }

// giveUp ends the answer for its listener. What still comes of it is dropped. What
// comes of the next one could not be told apart, or would not come at all, if the
// service hangs, or if an answer passed while this one was waited for and no older turn
// is open: then it may have been this one, and the end of a turn before was left out.
func (a *answers) giveUp() []s2s.Event {
	hangs := (a.phase == waiting || a.phase == resumed) && time.Since(a.since) >= hung
	skipped := a.phase == waiting && a.passed && a.older == 0
	a.lost = a.lost || hangs || skipped
	var events []s2s.Event
	if a.isUnderWay() {
		events = append(a.end(), s2s.GenerationDone{Status: "cancelled"})
	}
	a.phase = idle
	return events
}

// received is how much sound came of the answer.
func (a *answers) received() time.Duration {
	return time.Duration(a.samples) * time.Second / outputRate
}

// takeContent reads what a message tells of the conversation.
func (a *answers) takeContent(c *serverContent) []s2s.Event {
	var events []s2s.Event
	if c.InputTranscription != nil {
		events = append(events, a.takeInput(c.InputTranscription)...)
	}
	if c.OutputTranscription != nil {
		events = append(events, a.takeTranscript(c.OutputTranscription.Text)...)
	}
	for _, part := range c.ModelTurn.Parts {
		if part.InlineData != nil {
			events = append(events, a.takeAudio(part.InlineData)...)
		}
	}
	if c.GenerationComplete {
		events = append(events, a.takeGenerationComplete()...)
	}
	if c.Interrupted {
		events = append(events, a.takeInterrupted()...)
	}
	if c.WaitingForInput && a.phase == waiting && a.older == 0 {
		events = append(events, a.complete("incomplete", nil)...)
	}
	if c.TurnComplete {
		events = append(events, a.takeTurnComplete(c)...)
	}
	return events
}

// takeInput takes a piece of what the player said. It may come at any time.
func (a *answers) takeInput(t *transcription) []s2s.Event {
	var events []s2s.Event
	if text := clean(t.Text); text != "" {
		if a.said.Len()+len(text) <= maxTranscript {
			a.said.WriteString(text)
		}
		events = append(events, s2s.InputTranscript{Text: text})
	}
	if t.Finished {
		events = append(events, a.finalTranscript()...)
	}
	return events
}

// finalTranscript tells all of what the player said, once.
func (a *answers) finalTranscript() []s2s.Event {
	if a.final || a.said.Len() == 0 {
		return nil
	}
	a.final = true
	return []s2s.Event{s2s.InputTranscript{Text: strings.TrimSpace(a.said.String()), Final: true}}
}

// admit reports whether something that has come is of the answer that was asked for,
// and begins or resumes the answer with it.
func (a *answers) admit() ([]s2s.Event, bool) {
	switch a.phase {
	case waiting:
		if a.older > 0 {
			return nil, false
		}
		a.phase = answering
		return a.begin(), true
	case resumed:
		a.phase = answering
		a.callOpen = false
		return nil, true
	case answering, calling:
		return nil, true
	}
	a.phase, a.open = idle, true // late, or not asked for: its end is still to come
	return nil, false
}

// begin tells that the answer is being made, once.
func (a *answers) begin() []s2s.Event {
	if a.begun {
		return nil
	}
	a.begun = true
	return []s2s.Event{s2s.ResponseStarted{}}
}

// end tells what is to be told before the answer's end.
func (a *answers) end() []s2s.Event {
	events := append(a.finalTranscript(), a.begin()...)
	return append(events, a.endPart()...)
}

// item names the part of the answer that sounds, and begins one if none does.
func (a *answers) item() string {
	if !a.playing {
		a.playing = true
		a.part++
		a.left = nil
	}
	return strconv.Itoa(a.number) + "." + strconv.Itoa(a.part)
}

// endPart ends the part of the answer that sounds, if one does.
func (a *answers) endPart() []s2s.Event {
	if !a.playing {
		return nil
	}
	item := a.item()
	a.playing = false
	return []s2s.Event{s2s.ItemDone{Item: item}}
}

// takeTranscript takes a piece of what the answer says. What is told late, when all
// of the sound has come, still is of its last part.
func (a *answers) takeTranscript(text string) []s2s.Event {
	text = clean(text)
	if text == "" {
		return nil
	}
	if a.phase == complete && a.open && a.part > 0 {
		return []s2s.Event{s2s.OutputTranscript{Item: strconv.Itoa(a.number) + "." + strconv.Itoa(a.part), Text: text}}
	}
	events, ok := a.admit()
	if !ok {
		return nil
	}
	return append(events, s2s.OutputTranscript{Item: a.item(), Text: text})
}

// takeAudio takes a piece of sound.
func (a *answers) takeAudio(b *blob) []s2s.Event {
	if !isSound(b.MIMEType) {
		if a.strange {
			return nil
		}
		a.strange = true
		return []s2s.Event{s2s.Failed{Err: errSound}}
	}
	if len(b.Data) == 0 {
		return nil
	}
	events, ok := a.admit()
	if !ok {
		return nil
	}
	item := a.item()
	samples, left := decode(a.left, b.Data)
	a.left = left
	if len(samples) == 0 {
		return events
	}
	a.samples += len(samples)
	return append(events, s2s.Audio{Item: item, Samples: samples})
}

// complete ends the answer.
func (a *answers) complete(status string, err error) []s2s.Event {
	events := a.end()
	a.phase = complete
	return append(events, s2s.GenerationDone{Status: status, Err: err})
}

// takeGenerationComplete ends an answer of which something has come. In waiting and
// resumed it may be an older turn's, or that of the part that made calls; then
// turnComplete decides.
func (a *answers) takeGenerationComplete() []s2s.Event {
	if a.phase == answering {
		return a.complete("completed", nil)
	}
	a.passed = a.passed || a.phase == waiting && a.older > 0
	return nil
}

// takeInterrupted ends an answer that the service breaks off. Of one that was given
// up it is but the echo, whenever it comes.
func (a *answers) takeInterrupted() []s2s.Event {
	switch a.phase {
	case answering, calling, resumed:
		events := a.end()
		a.phase = idle
		return append(events, s2s.Interrupted{}, s2s.GenerationDone{Status: "cancelled"})
	case complete:
		if a.phase = idle; a.open {
			return []s2s.Event{s2s.Interrupted{}}
		}
	}
	return nil
}

// takeTurnComplete ends one of the service's turns: the oldest that is open. One in
// progress goes on.
func (a *answers) takeTurnComplete(c *serverContent) []s2s.Event {
	if a.isUnderWay() && a.older == 0 && c.InteractionStatus == inProgress {
		return nil
	}
	switch a.phase {
	case answering:
	case waiting:
		if a.older > 0 {
			a.older--
			return nil
		}
	case calling, resumed:
		if a.phase == calling || a.callOpen {
			a.callOpen = false
			return nil
		}
	default:
		if a.older > 0 {
			a.older--
		} else {
			a.open = false
		}
		return nil
	}
	a.open = false
	status, err := outcome(c.TurnCompleteReason)
	return a.complete(status, err)
}

// startCalls notes that the answer waits for n calls. It reports false if the calls
// are not of the answer that was asked for.
func (a *answers) startCalls() ([]s2s.Event, bool) {
	events, ok := a.admit()
	if !ok {
		return nil, false
	}
	events = append(events, a.endPart()...)
	a.phase = calling
	a.callOpen = a.async
	return events, true
}

// resume notes that the answer has its results; wanted is whether the model is to say
// something about them.
func (a *answers) resume(wanted bool) {
	if a.phase != calling {
		return
	}
	a.phase = idle
	if wanted {
		a.phase, a.since = resumed, time.Now()
	}
}

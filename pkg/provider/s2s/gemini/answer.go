package gemini

import (
	"strconv"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// phase is the state of the answer to the last question.
type phase int

// The phases of an answer and their successors. Messages that arrive in idle or complete were not asked for,
// or are no longer wanted.
const (
	// idle: nothing was asked, or the answer was abandoned → waiting.
	idle phase = iota
	// waiting: asked, nothing has arrived → answering, calling, complete, idle.
	waiting
	// answering: part of the answer has arrived → calling, complete, idle.
	answering
	// calling: the answer waits for tool results → resumed, idle.
	calling
	// resumed: the results were sent, nothing has arrived since → answering, calling, complete, idle.
	resumed
	// complete: the whole answer has arrived → waiting, idle.
	complete
)

// hangTimeout is the silence after which an abandoned answer counts as one that would never have arrived. Some
// models then take the next question for the end of that turn, and do not answer it.
const hangTimeout = 2 * time.Second

// maxTranscript is the maximum length of a player's transcript in bytes.
const maxTranscript = 32 << 10

// answers tracks the service's turns and separates the current answer from remains of abandoned ones. It does
// no I/O and is not safe for concurrent use.
//
// The service ends each turn with turnComplete, which may arrive long after the answer, because the service
// waits until the audio should have been played. So a new question may be asked while older turns are still
// open, and their ends must not be taken for that of the new answer.
type answers struct {
	phase phase
	async bool // tools do not block the model

	open  bool // the service has not ended the turn of the last question
	older int  // number of earlier turns that the service has not ended; what arrives belongs to them
	// passed: a whole answer arrived while older turns were open, and was dropped.
	passed            bool
	indistinguishable bool // turns can no longer be told apart; permanent
	// since is when the question or the results were sent.
	since time.Time
	// callOpen: the part of an async turn that made calls has not ended.
	callOpen bool

	number         int  // of the answer, from 1
	startReported  bool // the start has been reported
	cut            bool // it was interrupted
	part           int  // of the answer, from 1
	playing        bool // the part is not complete
	samples        int  // received for the answer
	oddByte        []byte
	formatReported bool // unsupported audio was received; reported once

	said  strings.Builder // by the player
	final bool            // the final transcript has been reported
}

// startQuestion records that a player begins to speak. It abandons the answer in progress.
func (a *answers) startQuestion() []s2s.Event {
	events := a.abandon()
	a.said.Reset()
	a.final = false
	return events
}

// startAnswer records that an answer is requested.
func (a *answers) startAnswer() []s2s.Event {
	events := a.abandon()
	if a.open {
		a.older++
	}
	a.open, a.passed, a.callOpen = true, false, false
	a.phase, a.since = waiting, time.Now()
	a.number++
	a.startReported, a.cut, a.part, a.samples, a.oddByte = false, false, 0, 0, nil
	return events
}

// isUnderWay reports whether an answer was requested and is not complete.
func (a *answers) isUnderWay() bool { return a.phase != idle && a.phase != complete }

// abandon ends the answer for the listener; what still arrives for it is dropped. It sets lost if the next
// answer could not be told apart or would never arrive: if the service hangs, or if an answer was dropped
// while waiting for this one and no older turn is open. In that case the dropped answer may have been this
// one, because the service omitted the end of an earlier turn.
func (a *answers) abandon() []s2s.Event {
	hangs := (a.phase == waiting || a.phase == resumed) && time.Since(a.since) >= hangTimeout
	skipped := a.phase == waiting && a.passed && a.older == 0
	a.indistinguishable = a.indistinguishable || hangs || skipped
	var events []s2s.Event
	if a.isUnderWay() {
		events = append(a.end(), s2s.GenerationDone{Status: "cancelled"})
	}
	a.phase = idle
	return events
}

// received returns the duration of the audio received for the answer.
func (a *answers) received() time.Duration {
	return time.Duration(a.samples) * time.Second / outputRate
}

// handleContent handles the conversation content of a message.
func (a *answers) handleContent(c *serverContent) []s2s.Event {
	var events []s2s.Event
	if c.InputTranscription != nil {
		events = append(events, a.handleInput(c.InputTranscription)...)
	}
	if c.OutputTranscription != nil {
		events = append(events, a.handleTranscript(c.OutputTranscription.Text)...)
	}
	for _, part := range c.ModelTurn.Parts {
		if part.InlineData != nil {
			events = append(events, a.handleAudio(part.InlineData)...)
		}
	}
	if c.GenerationComplete {
		events = append(events, a.handleGenerationComplete()...)
	}
	if c.Interrupted {
		events = append(events, a.handleInterrupted()...)
	}
	if c.WaitingForInput && a.phase == waiting && a.older == 0 {
		events = append(events, a.complete("incomplete", nil)...)
	}
	if c.TurnComplete {
		events = append(events, a.handleTurnComplete(c)...)
	}
	return events
}

// handleInput handles a part of the player's transcript, which may arrive at any time.
func (a *answers) handleInput(t *transcription) []s2s.Event {
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

// finalTranscript returns the player's final transcript, once.
func (a *answers) finalTranscript() []s2s.Event {
	if a.final || a.said.Len() == 0 {
		return nil
	}
	a.final = true
	return []s2s.Event{s2s.InputTranscript{Text: strings.TrimSpace(a.said.String()), Final: true}}
}

// admit reports whether incoming data belongs to the requested answer, and starts or resumes the answer if
// so.
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
	a.phase, a.open = idle, true // late or unrequested: the end of its turn is still to come
	return nil, false
}

// begin reports the start of the answer, once.
func (a *answers) begin() []s2s.Event {
	if a.startReported {
		return nil
	}
	a.startReported = true
	return []s2s.Event{s2s.ResponseStarted{}}
}

// end returns the events that precede the end of the answer.
func (a *answers) end() []s2s.Event {
	events := append(a.finalTranscript(), a.begin()...)
	return append(events, a.endPart()...)
}

// item returns the ID of the current part of the answer, and starts a part if there is none.
func (a *answers) item() string {
	if !a.playing {
		a.playing = true
		a.part++
		a.oddByte = nil
	}
	return strconv.Itoa(a.number) + "." + strconv.Itoa(a.part)
}

// endPart ends the current part of the answer, if there is one.
func (a *answers) endPart() []s2s.Event {
	if !a.playing {
		return nil
	}
	item := a.item()
	a.playing = false
	return []s2s.Event{s2s.ItemDone{Item: item}}
}

// handleTranscript handles a part of the answer's transcript. If it arrives after all the audio, it belongs to
// the last part.
func (a *answers) handleTranscript(text string) []s2s.Event {
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

// handleAudio handles a piece of audio.
func (a *answers) handleAudio(b *blob) []s2s.Event {
	if !isSound(b.MIMEType) {
		if a.formatReported {
			return nil
		}
		a.formatReported = true
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
	samples, left := decode(a.oddByte, b.Data)
	a.oddByte = left
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

// handleGenerationComplete ends an answer that has begun to arrive. In waiting and resumed the message may
// belong to an older turn, or to the part that made calls; then turnComplete decides.
func (a *answers) handleGenerationComplete() []s2s.Event {
	if a.phase == answering {
		return a.complete("completed", nil)
	}
	a.passed = a.passed || a.phase == waiting && a.older > 0
	return nil
}

// handleInterrupted ends an answer that the service breaks off. For an abandoned answer it is only the echo,
// whenever it arrives.
func (a *answers) handleInterrupted() []s2s.Event {
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

// handleTurnComplete ends the oldest open turn of the service. A turn in progress continues.
func (a *answers) handleTurnComplete(c *serverContent) []s2s.Event {
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

// startCalls records that the answer waits for calls. It returns false if they do not belong to the requested
// answer.
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

// resume records that the answer has its results. wanted reports whether the model is to respond to them.
func (a *answers) resume(wanted bool) {
	if a.phase != calling {
		return
	}
	a.phase = idle
	if wanted {
		a.phase, a.since = resumed, time.Now()
	}
}

package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/guard"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
)

// maxWithheld is how many sentences in a row may be withheld before an answer is broken off.
const maxWithheld = 4

var (
	// errWithdrawn means the consumer broke the loop.
	errWithdrawn = errors.New("stopped")
	// errBreach means that the answer is broken off and must be continued differently.
	errBreach = errors.New("breach")
	// errFull means that the answer is broken off because it is long enough.
	errFull = errors.New("full")
)

// guardedTurn is the state of one answer.
type guardedTurn struct {
	engine *GuardedEngine
	req    Request
	yield  func(Event, error) bool
	judge  judge

	delivered            []string      // delivered sentences
	clause               string        // clause that was emitted of the next sentence
	speakingTime         time.Duration // approximate speaking time of said
	guarded              bool          // something was withheld
	lastWithheld         guard.Verdict // the last verdict that withheld a sentence, since the last delivered one
	withheld             int           // sentences withheld since the last delivered one
	retried              bool          // the engine was asked a second time
	deliveredBeforeRetry int           // sentences delivered before the second request
	rounds               int           // tool rounds in total
	roundsBefore         int           // rounds before the current request
	calls                []ToolCalled
	finishedCalls        []finishedCall
	successfulCalls      []finishedCall // successful calls, as the judge knows them
	engineVoice          engineVoice
}

// finishedCall is a finished call with the result that the model received.
type finishedCall struct {
	call   llm.ToolCall
	result string
}

func (t *guardedTurn) emit(ev Event) error {
	if !t.yield(ev, nil) {
		return errWithdrawn
	}
	return nil
}

func (t *guardedTurn) run(ctx context.Context) error {
	err := t.requestAnswer(ctx, t.req)
	if errors.Is(err, errWithdrawn) || ctx.Err() != nil {
		return err
	}
	if t.needsRetry(err) {
		if err = t.retryAnswer(ctx); errors.Is(err, errWithdrawn) || ctx.Err() != nil {
			return err
		}
	}
	return t.closeAnswer(err)
}

// needsRetry reports whether the engine must be asked once more, because something was withheld and no
// usable sentence followed.
func (t *guardedTurn) needsRetry(err error) bool {
	switch {
	case t.withheld == 0 || t.req.Background.IsReaction:
		return false
	case err != nil && !errors.Is(err, errBreach) && !errors.Is(err, ErrNothingSaid) && !errors.Is(err, ErrTooLong):
		return false // the engine has failed
	}
	return len(t.delivered) == 0 || spoilsRest(t.lastWithheld.Reasons)
}

// spoilsRest reports whether a sentence was withheld because of its content. Then the text after it cannot
// be used either, and the answer is incomplete without it.
func spoilsRest(reasons []guard.Reason) bool {
	return slices.ContainsFunc(reasons, func(r guard.Reason) bool {
		switch r {
		case guard.Secret, guard.Prompt, guard.Roll, guard.Voice, guard.Model:
			return true
		}
		return false
	})
}

// requestAnswer lets the engine answer and passes on the parts that may be heard. [errBreach] and [errFull] mean that
// the answer was broken off, and that its calls were ended.
func (t *guardedTurn) requestAnswer(ctx context.Context, req Request) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if heard := req.Playback.Heard; heard != nil {
		req.Playback.Heard = func() time.Duration { return t.engineVoice.heardUpToLimit(heard) }
	}
	t.roundsBefore = t.rounds
	req.Clauses = req.Clauses && !t.retried && len(t.req.NPC.SecretKnowledge) == 0
	for ev, err := range t.engine.next.Answer(ctx, req) {
		if err == nil {
			err = t.handleEvent(ev)
		}
		if errors.Is(err, errBreach) {
			cancel(ErrWithheld) // before the loop ends
		}
		if err != nil {
			return t.endCalls(err)
		}
	}
	return nil
}

// endCalls ends the calls of an answer that was broken off, and returns err.
func (t *guardedTurn) endCalls(err error) error {
	if !errors.Is(err, errBreach) && !errors.Is(err, errFull) {
		return err
	}
	for _, c := range t.calls {
		f := ToolFinished{Round: c.Round, Call: c.Call}
		f.Err = errBrokenOff
		if t.emit(f) != nil {
			return errWithdrawn
		}
	}
	t.calls = nil
	return err
}

// errBrokenOff is the error of calls whose answer was broken off.
var errBrokenOff = errors.New("the answer that called it was broken off")

// handleEvent handles an event of the engine.
func (t *guardedTurn) handleEvent(ev Event) error {
	switch e := ev.(type) {
	case Clause:
		return t.handleClause(e.Text)
	case Sentence:
		return t.handleSentence(e.Text)
	case Sound, Wording, Spoken:
		return t.handleVoiceEvent(ev)
	case FirstToken:
		if t.retried {
			return nil // it was reported for the first request
		}
	case ToolCalled:
		e.Round += t.roundsBefore
		t.calls = append(t.calls, e)
		ev = e
	case ToolFinished:
		e.Round += t.roundsBefore
		t.endCall(e.Call, RenderOutcome(e.Outcome))
		if e.Err == nil {
			t.judge.RecordResult(e.Call.Name, e.Call.Arguments, e.Result.Text)
			t.successfulCalls = append(t.successfulCalls, finishedCall{e.Call, e.Result.Text})
		}
		ev = e
	case ToolDeferred:
		e.Round += t.roundsBefore
		t.endCall(e.Call, Accepted)
		ev = e
	case RoundEnded:
		e.Round += t.roundsBefore
		t.rounds++
		ev = e
	}
	return t.emit(ev)
}

func (t *guardedTurn) endCall(c llm.ToolCall, result string) {
	if i := slices.IndexFunc(t.calls, func(o ToolCalled) bool { return o.Call == c }); i >= 0 {
		t.calls = slices.Delete(t.calls, i, i+1)
	}
	t.finishedCalls = append(t.finishedCalls, finishedCall{c, result})
}

// handleClause passes on the beginning of the first sentence if it is permitted on its own. NPCs with secrets
// get no clauses, because half a secret is also one, and is recognised only with the rest.
func (t *guardedTurn) handleClause(text string) error {
	if len(t.delivered) > 0 || t.withheld > 0 {
		return nil
	}
	alone := t.engine.judgeOf(t.req) // the sentence will still be judged as a whole
	for _, n := range t.successfulCalls {
		alone.RecordResult(n.call.Name, n.call.Arguments, n.result)
	}
	if v := alone.Judge(text); len(v.Reasons) > 0 || v.Text != text {
		return nil
	}
	t.clause = text
	return t.emit(Clause{Text: text})
}

// handleSentence passes on the permitted part of a sentence. If a model that was asked once more begins with a
// sentence that was already heard, the sentence is skipped.
func (t *guardedTurn) handleSentence(text string) error {
	if t.retried && t.repeatsDelivered(text) {
		return nil
	}
	v := t.judgeText(text)
	if begun := t.clause; begun != "" {
		if t.clause = ""; !strings.HasPrefix(v.Text, begun) {
			if err := t.emit(Clause{}); err != nil {
				return err
			}
		}
	}
	if err := t.reportGuarded(v.Reasons); err != nil {
		return err
	}
	if v.Text != "" {
		if err := t.deliver(v.Text); err != nil {
			return err
		}
	}
	if len(v.Reasons) == 0 || v.Text != "" && !spoilsRest(v.Reasons) {
		return nil
	}
	return t.withhold(v)
}

// repeatsDelivered reports whether a sentence was already heard in this answer, apart from case and punctuation.
// It is always false once a new sentence of the second request was delivered.
func (t *guardedTurn) repeatsDelivered(text string) bool {
	if len(t.delivered) > t.deliveredBeforeRetry {
		return false
	}
	return slices.ContainsFunc(t.delivered, func(heard string) bool { return normalizeWords(heard) == normalizeWords(text) })
}

// normalizeWords returns the words of a text in lower case, separated by single spaces.
func normalizeWords(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// withhold records a sentence that is withheld, and breaks the answer off if the rest cannot be used.
func (t *guardedTurn) withhold(v guard.Verdict) error {
	t.lastWithheld = v
	if t.withheld++; t.withheld >= maxWithheld || spoilsRest(v.Reasons) {
		return errBreach
	}
	return nil
}

// reportGuarded reports that something was withheld, if there are reasons.
func (t *guardedTurn) reportGuarded(reasons []guard.Reason) error {
	if len(reasons) == 0 {
		return nil
	}
	t.guarded = true
	return t.emit(Guarded{Reasons: reasons})
}

// lettersPerSecond is the speed of a voice at normal speed.
const lettersPerSecond = 15

// deliver passes a sentence on, unless that would make the answer too long.
func (t *guardedTurn) deliver(text string) error {
	most := t.engine.o.MaxSpeech
	takes := time.Duration(len([]rune(text))) * time.Second / lettersPerSecond
	if f := t.req.NPC.Voice.Speed; f > 0 {
		takes = time.Duration(float64(takes) / f)
	}
	if most > 0 && len(t.delivered) > 0 && t.speakingTime+takes > most {
		return t.cutLength()
	}
	t.speakingTime += takes
	t.recordDelivered(text)
	return t.emit(Sentence{Text: text})
}

// cutLength ends an answer that is long enough.
func (t *guardedTurn) cutLength() error {
	if err := t.emit(Guarded{Reasons: []guard.Reason{guard.TooLong}}); err != nil {
		return err
	}
	return errFull
}

func (t *guardedTurn) recordDelivered(text string) {
	t.delivered = append(t.delivered, text)
	t.withheld, t.lastWithheld = 0, guard.Verdict{}
}

// closeAnswer ends an answer that ended with err or was broken off.
func (t *guardedTurn) closeAnswer(err error) error {
	broken := errors.Is(err, errBreach) || errors.Is(err, errFull)
	switch {
	case errors.Is(err, ErrDeclined) && len(t.delivered) == 0: // also on the second request
		return err
	case errors.Is(err, ErrDeclined):
		return nil
	case len(t.delivered) > 0 && errors.Is(err, ErrTooLong):
		return t.emit(Guarded{Reasons: []guard.Reason{guard.TooLong}})
	case !t.guarded:
		if broken {
			return nil
		}
		return err
	case len(t.delivered) > 0 && (broken || errors.Is(err, ErrNothingSaid)):
		return nil
	case err != nil && !broken && !t.retried && !errors.Is(err, ErrNothingSaid) && !errors.Is(err, ErrTooLong):
		return err // the engine has failed by itself
	case err != nil && !broken && !errors.Is(err, ErrNothingSaid) && !errors.Is(err, ErrTooLong):
		why := Notice{Level: "warning", Text: fmt.Sprintf("%s could not go on: %s", t.req.NPC.Name, userfile.OneLine(err))}
		if err := t.emit(why); err != nil {
			return err
		}
	}
	if len(t.delivered) > 0 || t.req.Background.IsReaction {
		return nil
	}
	return t.deliverEvasion()
}

// deliverEvasion says one of the NPC's own lines in place of withheld text.
func (t *guardedTurn) deliverEvasion() error {
	text := evasion(t.req, t.engine.o.Languages)
	t.recordDelivered(text)
	return t.emit(Sentence{Text: text})
}

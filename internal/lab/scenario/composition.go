package scenario

import (
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/lab/s2stest"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// composition is an answer under construction.
type composition struct {
	s2stest.Answer
	talker *talker
	npc    config.NPC
	fault  S2SFault
	item   string
	pause  time.Duration // before the next step
}

func (a *composition) wait(d time.Duration) { a.pause += d }

func (a *composition) add(steps ...s2stest.Step) {
	a.Steps = append(a.Steps, s2stest.After(a.pause, steps)...)
	if len(steps) > 0 {
		a.pause = 0
	}
}

// compose turns a round of the model into an answer, with its faults.
func (a *composition) compose(r Round) {
	s := a.talker.script
	switch a.fault.Fault {
	case faultHang:
		a.Answer = s2stest.Answer{Hangs: true}
		return
	case faultMalformed:
		a.add(s2stest.Step{Tell: s2s.Failed{Err: fmt.Errorf("an event cannot be read: %w", errScripted)}})
	case faultLeaves:
		left := orElse(time.Duration(a.fault.After), defaultLeaving)
		a.add(s2stest.Step{Tell: s2s.GoingAway{Left: left}})
		defer a.endSession(left)
	case faultOrphan:
		sound := a.talker.sound(a.npc, orphanText)
		a.Late = s2stest.After(orphanAfter, s2stest.Say(a.item, orphanText, sound, s.Capabilities.OutputRate, s.Speed))
	}
	a.wait(a.talker.firstSound(r))
	if a.fault.Fault == faultFailed || a.fault.Fault == faultRateLimited {
		a.fail(a.fault.Fault)
		return
	}
	if a.fault.Fault != faultEmpty {
		a.speakRound(r)
	}
	switch {
	case a.Hangs:
	case a.fault.Fault == faultCloses:
		a.add(s2stest.Step{Tell: s2s.GenerationDone{Status: "completed"}})
		a.endSession(time.Duration(a.fault.After))
	case r.Fault == "hang":
		a.Hangs = true
	case r.Fault != "":
		a.fail(r.Fault)
	}
}

// endSession ends the session d after all other steps.
func (a *composition) endSession(d time.Duration) {
	if n := len(a.Steps); n > 0 {
		if _, done := a.Steps[n-1].Tell.(s2s.GenerationDone); !done {
			a.add(s2stest.Step{Tell: s2s.GenerationDone{Status: "completed"}})
		}
	}
	a.wait(d)
	a.add(s2stest.Step{Ends: errScripted})
}

// fail ends the answer with an error.
func (a *composition) fail(fault string) {
	a.Status = "failed"
	for name, err := range map[string]error{faultFailed: s2s.ErrUnavailable, "error": s2s.ErrUnavailable, "rejected": s2s.ErrRejected, faultRateLimited: s2s.ErrRateLimited} {
		if name == fault {
			a.Err = fmt.Errorf("%w: %w", err, errScripted)
		}
	}
	a.add(s2stest.Step{Tell: s2s.GenerationDone{Status: a.Status, Err: a.Err}})
}

// speakRound adds the round's sentences and calls.
func (a *composition) speakRound(r Round) {
	if said := sentences(r.Says); len(said) > 0 {
		a.speak(said)
	}
	for _, c := range r.Calls {
		args := c.Args
		if args == "" {
			args = "{}"
		}
		a.add(s2stest.Step{Tell: s2s.ToolCalled{Call: llm.ToolCall{Name: c.Tool, Arguments: args}}})
	}
	if a.fault.Fault == faultTakesBack && len(r.Calls) > 0 {
		a.takeBack(len(r.Calls))
	}
}

// takeBack cancels the calls.
func (a *composition) takeBack(calls int) {
	var ids []string
	for i := len(a.Steps) - calls; i < len(a.Steps); i++ {
		told := a.Steps[i].Tell.(s2s.ToolCalled)
		told.Call.ID = fmt.Sprintf("taken-back-%d", i)
		a.Steps[i].Tell = told
		ids = append(ids, told.Call.ID)
	}
	a.add(s2stest.Step{Tell: s2s.GenerationDone{Calls: calls, Status: "completed"}})
	a.wait(time.Duration(a.fault.After))
	a.add(s2stest.Step{Tell: s2s.ToolCancelled{IDs: ids}})
}

// speak adds sentences, one after the other.
func (a *composition) speak(said []string) {
	s := a.talker.script
	var all [][]s2stest.Step
	for i, text := range said {
		item := a.item
		if a.fault.Fault == faultTwoItems {
			item = fmt.Sprintf("%s-%d", a.item, i+1)
		}
		steps := s2stest.Say(item, text+" ", a.talker.sound(a.npc, text), s.Capabilities.OutputRate, s.Speed)
		if i > 0 {
			steps = s2stest.After(time.Duration(s.Between), steps)
		}
		if a.fault.Fault == faultTwoItems || i == len(said)-1 {
			steps = append(steps, s2stest.Done(item))
		}
		all = append(all, steps)
	}
	for i, steps := range all {
		if a.fault.Fault == faultTwoItems && i > 0 {
			// The previous sentence ends once this one has begun.
			before := all[i-1]
			late := slices.Clone(before[len(before)-2:])
			a.Steps = a.Steps[:len(a.Steps)-2]
			steps = slices.Concat(steps[:2], late, steps[2:])
		}
		a.add(steps...)
	}
	a.cutShort()
}

// cutShort ends an answer after part of its sound, if the fault says so.
func (a *composition) cutShort() {
	var end s2stest.Step
	switch a.fault.Fault {
	case faultStalls:
		a.Hangs = true
	case faultDies:
		end.Ends = errScripted
	case faultInterrupts:
		end.Tell = s2s.Interrupted{}
	default:
		return
	}
	var told time.Duration
	for i, st := range a.Steps {
		sound, ok := st.Tell.(s2s.Audio)
		if !ok {
			continue
		}
		if told >= time.Duration(a.fault.After) {
			a.Steps = a.Steps[:i]
			break
		}
		told += time.Duration(len(sound.Samples)) * time.Second / time.Duration(a.talker.script.Capabilities.OutputRate)
	}
	if !a.Hangs {
		a.add(end)
	}
}

package table

import (
	"strings"
	"time"
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/floor"
	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/problem"
)

// takeNote takes in what the mixer has done with a line; last says that Finished
// follows.
func (as *answers) takeNote(a *attempt, n mixer.Note, last bool) {
	tn := a.turn
	if !a.passed.IsZero() && n.Kind != mixer.Dry { // the next sentence followed at once
		tn.stampSound(a.isAtAnswer(), a.passed)
	}
	a.passed = time.Time{}
	switch n.Kind {
	case mixer.Started:
		as.noteSound(a, n.At)
		as.floor.tell(floor.Event{Kind: floor.Started, Turn: a.id})
	case mixer.Dry:
		as.floor.tell(floor.Event{Kind: floor.Dry, Turn: a.id})
	case mixer.SentenceEnded:
		goesOn := a.unsaid() != nil && a.unsaid().part == clause
		as.deliverSentence(a, n.At)
		if !last && !goesOn { // after the last one there is nothing to be cut off
			as.floor.tell(floor.Event{Kind: floor.SentenceEnd, Turn: a.id})
		}
	case mixer.Finished:
		as.moveTo(tn, spoken)
		for _, r := range as.queue.reactionsTo(tn) {
			r.since = n.At // it could not have spoken before
		}
		as.floor.tell(floor.Event{Kind: floor.Finished, Turn: a.id})
		as.effects.add(endIfDone{a})
	case mixer.Failed:
		as.effects.notify(tn.number, "warning", "the sound could not be played, the text goes on: "+problem.OneLine(n.Err))
	}
}

// noteSound takes in the first sound, or the first after a silence.
func (as *answers) noteSound(a *attempt, at time.Time) {
	tn := a.turn
	tn.stampSound(a.isAtAnswer(), at)
	if !tn.audible {
		tn.audible = true
		as.effects.emit(tn.number, KindAudioStarted, &AudioStarted{NPC: tn.as.Name})
	}
}

// deliverSentence takes in that a sentence was said to its end.
func (as *answers) deliverSentence(a *attempt, at time.Time) {
	s := a.unsaid()
	if s == nil {
		return
	}
	tn := a.turn
	name := tn.as.Name
	if tn.audible {
		a.passed = at
	} else { // read, not heard
		tn.stampSound(s.kind == answer, at)
	}
	a.ended++
	if s.text == "" {
		return // nothing of an engine's own voice is left, or nobody knows its words
	}
	as.remarks.add(s.text, at)
	if tn.voice != "" {
		return // nothing that was said in the story
	}
	as.fillers.last[tn.agent] = s.kind == filler
	tn.texts = append(tn.texts, s.text)
	if s.kind == filler {
		as.said.note(tn)
		as.effects.emit(tn.number, KindFiller, &Filler{NPC: name, Text: s.text})
		return
	}
	if n := len(tn.answer); s.part == rest && n > 0 {
		tn.answer[n-1] += " " + s.text
	} else {
		tn.answer = append(tn.answer, s.text)
	}
	as.said.note(tn)
	as.effects.emit(tn.number, KindSentence, &Sentence{NPC: name, Text: s.text})
}

// deliverRest takes in what was said to its end before a line was stopped, and
// tells how much was heard of the sentence in which it was, and who interrupted it.
func (as *answers) deliverRest(a *attempt) {
	for n := min(a.line.Ended(), len(a.said)); a.ended < n; {
		as.deliverSentence(a, time.Now())
	}
	tn := a.turn
	if s := a.unsaid(); s != nil && !s.own && tn.audible && !tn.unsaid && tn.voice == "" {
		if text := heardOf(s.text, a.line); text != "" {
			as.effects.emit(tn.number, KindCutSentence, &CutSentence{NPC: tn.as.Name, Text: text})
		}
	}
	if tn.end.outcome != OutcomeBarged {
		return
	}
	if s := a.unsaid(); s != nil { // an echo of it may yet be heard
		as.remarks.add(s.text, time.Now())
	}
	as.effects.emit(tn.number, KindBarge, &Barge{NPC: tn.as.Name, Speaker: tn.end.by, Text: strings.Join(tn.texts, " ")})
}

// speechRate is about how many characters a voice says in a second.
const speechRate = 15

// heardOf returns the words of a sentence that were heard when its line was stopped in it,
// with a dash: by the share of its sound that was played, or, where not all of that was
// there, by how long people take to say it. If that is no whole word, it is empty.
func heardOf(text string, line *mixer.Line) string {
	played, written, whole := line.Partly()
	runes := []rune(text)
	n := int(played.Seconds() * speechRate)
	if whole {
		n = int(int64(len(runes)) * int64(played) / int64(written))
	}
	if n = min(n, len(runes)); n < len(runes) {
		for n > 0 && !unicode.IsSpace(runes[n]) {
			n--
		}
	}
	words := strings.TrimRightFunc(string(runes[:n]), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	if words == "" {
		return ""
	}
	return words + "—"
}

package table

import (
	"strings"
	"time"
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/floor"
	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// handleLineEvent handles a note of the mixer about a line. last says that Finished follows.
func (t *Table) handleLineEvent(a *attempt, n mixer.LineEvent, last bool) {
	tn := a.turn
	if !a.previousEnd.IsZero() && n.Kind != mixer.Dry { // the next sentence followed at once
		tn.stampSound(a.isAtAnswer(), a.previousEnd)
	}
	a.previousEnd = time.Time{}
	switch n.Kind {
	case mixer.Started:
		t.recordSound(a, n.At)
		t.floor.handle(floor.Event{Kind: floor.Started, Turn: a.id})
	case mixer.Dry:
		t.floor.handle(floor.Event{Kind: floor.Dry, Turn: a.id})
	case mixer.SentenceEnded:
		goesOn := a.currentSentence() != nil && a.currentSentence().part == clause
		t.deliverSentence(a, n.At)
		if !last && !goesOn { // after the last sentence there is nothing left to cut
			t.floor.handle(floor.Event{Kind: floor.SentenceEnd, Turn: a.id})
		}
	case mixer.Finished:
		t.turns.moveTo(tn, spoken)
		for _, r := range t.queue.reactionsTo(tn) {
			r.words.since = n.At // it could not have been heard earlier
		}
		t.floor.handle(floor.Event{Kind: floor.Finished, Turn: a.id})
		t.effects.add(endIfDone{a})
	case mixer.Failed:
		t.effects.notify(tn.number, "warning", "the sound could not be played; the NPC goes on in writing: "+userfile.OneLine(n.Err))
	}
}

// recordSound records the first sound of a line, or the first after a gap.
func (t *Table) recordSound(a *attempt, at time.Time) {
	tn := a.turn
	tn.stampSound(a.isAtAnswer(), at)
	if !tn.delivered.audible {
		tn.delivered.audible = true
		t.effects.emit(tn.number, KindAudioStarted, &AudioStarted{NPC: tn.addressee.npc.Name})
	}
}

// deliverSentence records that a sentence was played in full, and reports it.
func (t *Table) deliverSentence(a *attempt, at time.Time) {
	s := a.currentSentence()
	if s == nil {
		return
	}
	tn := a.turn
	name := tn.addressee.npc.Name
	if tn.delivered.audible {
		a.previousEnd = at
	} else { // shown, not heard
		tn.stampSound(s.kind == answer, at)
	}
	a.delivered++
	if s.text == "" {
		return // the engine's own voice has nothing left, or its words are not known
	}
	t.recentSpeech.remarks.add(s.text, at)
	if tn.kind == trialTurn {
		return // a trial is not part of the story
	}
	t.recentSpeech.phraseUsed[tn.addressee.index] = s.kind == filler
	tn.delivered.texts = append(tn.delivered.texts, s.text)
	if s.kind == filler {
		t.recentSpeech.lines.record(tn)
		t.effects.emit(tn.number, KindFiller, &Filler{NPC: name, Text: s.text})
		return
	}
	if n := len(tn.delivered.answer); s.part == restOfSentence && n > 0 {
		tn.delivered.answer[n-1] += " " + s.text
	} else {
		tn.delivered.answer = append(tn.delivered.answer, s.text)
	}
	t.recentSpeech.lines.record(tn)
	t.effects.emit(tn.number, KindSentence, &Sentence{NPC: name, Text: s.text})
}

// deliverRest delivers the sentences that were played in full before a line was stopped. It reports how much
// was heard of the sentence that was cut, and who interrupted it.
func (t *Table) deliverRest(a *attempt) {
	for n := min(a.line.Ended(), len(a.sentences)); a.delivered < n; {
		t.deliverSentence(a, time.Now())
	}
	tn := a.turn
	if s := a.currentSentence(); s != nil && !s.byEngine && tn.delivered.audible && !tn.retention.answerRetracted && tn.kind != trialTurn {
		if text := playedWords(s.text, a.line); text != "" {
			t.effects.emit(tn.number, KindCutSentence, &CutSentence{NPC: tn.addressee.npc.Name, Text: text})
		}
	}
	if tn.end.outcome != OutcomeBarged {
		return
	}
	if s := a.currentSentence(); s != nil { // its echo may still be heard
		t.recentSpeech.remarks.add(s.text, time.Now())
	}
	t.effects.emit(tn.number, KindBarge, &Barge{NPC: tn.addressee.npc.Name, Speaker: tn.end.by, Text: strings.Join(tn.delivered.texts, " ")})
}

// speechRate is roughly how many characters a voice speaks in a second.
const speechRate = 15

// playedWords returns the words of a cut sentence that were heard, followed by a dash. It estimates them from the
// share of the sound that was played, or from speechRate if the sentence's sound was not complete. The result
// is empty if not even one whole word was heard.
func playedWords(text string, line *mixer.Line) string {
	played, written, whole := line.PartlyPlayed()
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

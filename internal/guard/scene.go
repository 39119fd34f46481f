package guard

import "strings"

// Words by which a narrator describes events around the players.
var (
	spans     = newWordSet(`hour hours moment moments minute minutes second seconds day days week weeks morning night stunde stunden moment augenblick augenblicke minute minuten sekunde sekunden tag tage woche wochen morgen nacht`)
	skips     = newWordSet(`later später darauf danach afterwards`)
	suddenly  = newWordSet(`suddenly plötzlich unvermittelt moments minutes hours sekunden augenblicke minuten stunden`)
	perceives = newWordSet(`see hear smell notice spot wake enter sense seht hört riecht bemerkt spürt erblickt erwacht betretet erreicht siehst hörst riechst bemerkst spürst erblickst erwachst betrittst`)
	// bursts, with a word of bursting after them, describe a sudden event.
	bursts   = newWordSet(`fly flies burst bursts swing swings slam slams crash crashes explode explodes shatter shatters storm storms fliegt fliegen springt springen kracht krachen schwingt schwingen stürmt stürmen birst bersten explodiert taucht tauchen`)
	bursting = newWordSet(`open shut in into through auf zu herein rein`)
	// reactions are phrases by which a game master asks the players to act.
	reactions = newPhrases([][]string{
		{"what", "do", "you", "do"}, {"what", "will", "you", "do"}, {"how", "do", "you", "react"}, {"what", "would", "you", "like", "to", "do"},
		{"was", "tut", "ihr"}, {"was", "macht", "ihr"}, {"was", "tust", "du"}, {"was", "machst", "du"}, {"wie", "reagiert", "ihr"}, {"wie", "reagierst", "du"},
	})
)

// narratesScene reports whether a sentence narrates a current event: the doors fly open, an hour later you
// hear horns.
func narratesScene(s *sentence) bool {
	if len(s.words) < 4 || s.has(selfWords) || s.has(habits) || strings.Contains(s.raw, "?") {
		return false
	}
	skip := suddenly[s.at(0)]
	for i := 1; i < 4; i++ {
		skip = skip || spans[s.at(i-1)] && skips[s.at(i)]
	}
	for i := range s.words {
		w, next := s.at(i), s.at(i+1)
		you := w == "you" || w == "ihr" || w == "du"
		if skip && (you && perceives[next] || perceives[w] && (next == "ihr" || next == "du")) {
			return true
		}
		if bursts[w] && (skip || i >= 2 && i <= 3 && narrators[s.at(0)] && bursting[next]) {
			return true
		}
	}
	return false
}

// asksToReact reports whether a sentence is only a game master's question about the players' next
// action.
func asksToReact(s *sentence) bool { return len(s.words) <= 7 && hasPhrase(s, reactions) }

package orders

import "strings"

// plain are the phrases of the orders that need no tier, and byStep those that raise or
// lower without naming one.
var plain, byStep = tabulate()

// parting are the phrases that end a session without naming it.
var parting = phraseSet(partings...)

// unconditional are the phrases that let somebody speak whether silenced or not.
var unconditional = phraseSet("(unmute|unsilence|unpause) @", "@ unmute")

// tabulate makes the tables of phrases out of acts, frames and the rest.
func tabulate() (plain, byStep map[string]Kind) {
	plain, byStep = map[string]Kind{}, map[string]Kind{}
	into := map[Kind]map[string]Kind{Quiet: plain, Resume: plain, Think: plain, EndSession: plain, Raise: byStep, Lower: byStep}
	frame := func(kind Kind, frames []string, phrases []string) {
		for _, f := range frames {
			for _, p := range phrases {
				into[kind][tidy(strings.ReplaceAll(f, "C", p))] = kind
			}
		}
	}
	for kind, a := range acts {
		base, infinitive := expandAll(a.base...), expandAll(a.infinitive...)
		frame(kind, baseFrames, base)
		frame(kind, imperativeFrames, expandAll(a.imperative...))
		frame(kind, infinitiveFrames, infinitive)
		frame(kind, finalFrames, expandAll(a.final...))
		if kind == Resume {
			frame(kind, mayFrames, append(base, speakEN...))
			frame(kind, darfFrames, append(infinitive, speakDE...))
			frame(kind, []string{"let @ C"}, speakEN)
		}
		if kind == Resume || kind == Think {
			for _, p := range expandAll(append(append(a.base, a.imperative...), a.infinitive...)...) {
				if kind == Resume || strings.HasPrefix(p, "think ") || strings.HasPrefix(p, "denk") || strings.HasPrefix(p, "überleg") || strings.HasSuffix(p, " nachdenken") {
					plain[tidy(p)] = kind
				}
			}
			frame(kind, []string{"C"}, map[Kind][]string{Resume: expandAll("(you|) (can|may) (speak|talk)", "(du darfst|ihr dürft) (reden|sprechen|weiterreden)")}[kind])
		}
	}
	for kind, patterns := range about {
		frame(kind, []string{"C"}, expandAll(patterns...))
	}
	frame(EndSession, []string{"C"}, expandAll(append(ends, partings...)...))
	return plain, byStep
}

// tidy takes out of a phrase what phrase takes out of an utterance.
func tidy(s string) string {
	var kept []string
	for w := range strings.FieldsSeq(s) {
		if !courtesy[w] {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// lettingFrames are what stands around a name before "say": "have @", "i want @ to".
func lettingFrames() map[string]bool {
	return phraseSet(
		"(let|have|make) @", "get @ to", "(i want|i need|i'd like|i would like|we need) @ to", "(ask|tell) @ to", "@ should", "@ (i want|i need|i'd like) you to", "@ go ahead and",
		"(lass|lasst|lasse) @", "@ (soll|sollen|sollte|möge)", "(ich möchte|ich will|ich hätte gern|ich hätte gerne|mach|sorg dafür|sorge dafür) dass @", "sag @ (er|sie|es) soll", "@ du sollst", "(ich möchte|ich will) @",
	)
}

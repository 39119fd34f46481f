package orders

import "slices"

// corrections introduce a speaker's replacement words. backs take back an order.
var (
	corrections = expandAll("no (wait|sorry|no|i mean|actually|rather|make that|not him|not her|) (i mean|)", "(sorry|wait|wait no|actually|or rather|make that|i mean|i meant|oops|scratch that|correction)", "(nein|nee|ne|quatsch|moment nein|ach nein|äh nein|ich meine|ich mein|ich meinte|falsch|halt nein|nein moment|nein quatsch|nein ich meine|nein halt|besser gesagt|beziehungsweise|sorry|entschuldigung|vielmehr|oder besser|korrektur|doch lieber|nein doch)")
	backs       = phraseSet("never mind", "nevermind", "forget it", "forget that", "scratch that", "not yet", "no don't", "doch nicht", "vergiss es", "vergesst es", "noch nicht", "lieber nicht", "nein nicht", "maybe later", "later maybe", "in a minute", "später vielleicht")
)

// maxCorrected is the maximum number of words of an order that corrects itself.
const maxCorrected = 20

// parseCorrected parses an order that its speaker corrects: "mute Bartok, no, Juniper". The correction
// replaces some of the words before it. Those must be an order as well, or only a name.
func parseCorrected(words []word, room Room) (Order, bool) {
	if len(words) > maxCorrected {
		return Order{}, false
	}
	for i := len(words) - 1; i > 0; i-- {
		for n := min(4, len(words)-i-1); n > 0; n-- {
			if !slices.Contains(corrections, join(words[i:i+n])) {
				continue
			}
			first, instead := words[:i], words[i+n:]
			_, named := target(first, room)
			before, ordered := parseWords(first, room)
			if !ordered && !named || isRetracted(instead) {
				continue
			}
			if o, ok := parseWords(instead, room); ok && (!named || o.NPC >= 0) {
				return o.Order, true
			}
			if o, ok := splice(first, instead, before.Kind, room); ok && ordered {
				return o, true
			}
		}
	}
	return Order{}, false
}

// splice parses an order of a kind after replacing some words of first by instead.
func splice(first, instead []word, kind Kind, room Room) (Order, bool) {
	for n := range first { // replace as few as possible
		for i := len(first) - n - 1; i >= 0; i-- {
			mended := slices.Concat(first[:i], instead, first[i+n+1:])
			if o, ok := parseWords(mended, room); ok && (o.Kind == kind || kind == Raise && o.Kind == Lower || kind == Lower && o.Kind == Raise) {
				return o.Order, true
			}
		}
	}
	return Order{}, false
}

// isRetracted reports whether words take back the order among them.
func isRetracted(words []word) bool {
	for i := range words {
		for n := 1; n <= 2 && i+n <= len(words); n++ {
			if backs[join(words[i:i+n])] {
				return true
			}
		}
	}
	return false
}

package simulate

import (
	"fmt"
	"strings"
	"time"
)

// names are the names of a table's NPCs, in order. They do not sound alike.
var names = [...]string{"Bart", "Greta", "Mirabel", "Orlando", "Sylvie", "Theodor"}

// MaxNPCs bounds the NPCs of a table.
const MaxNPCs = len(names)

// lines are the players' lines to an NPC.
var lines = [...]string{
	"%s, what now?",
	"%s, is anybody there?",
	"%s, how much for a bed tonight?",
	"%s, tell me what you know about the old mill.",
	"%s, did anyone strange come through here last night?",
	"%s, I need a rope, two torches and something to eat.",
	"%s, the mayor sent us. He says you saw the light above the hill.",
	"%s, why is the gate closed at this hour, and who gave the order?",
	"%s, we found this ring in the river, and the letters on it look like yours.",
	"%s, listen, nobody has to get hurt as long as you show us the way to the cellar.",
}

// answers are the NPCs' sentences.
var answers = [...]string{
	"Well, that depends on who is asking.",
	"I saw three riders at dusk, and none of them paid for their ale.",
	"The mill burned down when my father was a boy.",
	"You had better ask the priest about that.",
	"Two silver pieces, and not a copper less.",
	"Nobody goes up there any more, not since the autumn.",
	"Keep your voice down, the walls are thin in this house.",
	"I can give you a lantern, but the oil costs extra.",
	"My grandmother used to say that the river remembers every name it ever swallowed.",
	"Follow the hedge until it ends, then count forty steps towards the dead oak.",
}

// perLetter is the speaking time per letter.
const perLetter = 62 * time.Millisecond

// speaking returns the speaking time of text.
func speaking(text string) time.Duration { return time.Duration(len(text)) * perLetter }

// drawLine draws a player's line to npc.
func (d *dice) drawLine(npc string) string { return fmt.Sprintf(lines[d.one(len(lines))], npc) }

// drawAnswer draws one to three sentences.
func (d *dice) drawAnswer() string {
	n := 1 + d.one(3)
	parts := make([]string, n)
	for i := range parts {
		parts[i] = answers[d.one(len(answers))]
	}
	return strings.Join(parts, " ")
}

// halves splits text between two words near its middle.
func halves(text string) (first, second string) {
	words := strings.Fields(text)
	n := (len(words) + 1) / 2
	return strings.Join(words[:n], " "), strings.Join(words[n:], " ")
}

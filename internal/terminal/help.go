package terminal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// order is a command that begins with a slash.
type order struct {
	word string
	// args describes the arguments for help; empty if there are none.
	args string
	does string // short description
	// more is shown for the single order: an example and details.
	more string
}

// orderGroups are all orders in the order of help.
var orderGroups = []struct {
	about  string
	orders []order
}{
	{"who may speak, and how long they may take", []order{
		{"/mute", "NPC", "silences an NPC, or all", "/mute Bartok, or /mute all; /unmute lets them speak again."},
		{"/unmute", "NPC", "lets an NPC, or all, speak again", "/unmute all"},
		{"/raise", "NPC TIER [FOR]", "lets an NPC, or all, think longer for a while", "TIER is standard or deep; FOR is a time or a number of turns: /raise Bartok deep 5m, or /raise Bartok deep 3 turns. It ends with whichever comes first; without either, after 5 minutes or 10 turns."},
		{"/lower", "NPC [TIER]", "makes an NPC, or all, answer quickly", "TIER is fast, unless you say standard: /lower Bartok. /raise ends it."},
		{"/listening", "[HOW]", "how readily they answer", "HOW is eager, attentive or called_only; without it, you see how they listen now. With called_only, only NPCs called by name answer."},
	}},
	{"what they say", []order{
		{"/direct", "NPC [text]", "tells an NPC how to play its next answers", "/direct Bartok lie about the key. Without a text the NPC plays freely again."},
		{"/say", "NPC text", "makes an NPC say exactly that", "/say Bartok Last orders, please"},
		{"/whisper", "NPC text", "whispers to one NPC", "/whisper Bartok Who is the man by the door? Nobody else at the table hears it."},
		{"/reveal", "NPC [NUMBER|all]", "lets an NPC tell one of its secrets", "Without a number the secrets are listed: /reveal Bartok, then /reveal Bartok 2."},
		{"/conceal", "NPC", "makes an NPC keep its secrets again", "/conceal Bartok"},
		{"/unsay", "[NPC]", "takes an answer back", "Everyone forgets it. Without a name, it is the last answer. /again asks for a different one."},
		{"/again", "[NPC]", "takes an answer back and asks for a different one", "/again, or /again Bartok"},
	}},
	{"the world and what is remembered", []order{
		{"/date", "[DATE]", "shows or sets the date in the world", "/date 3 Harvestmoon 1024"},
		{"/remember", "[NPC:] [text]", "makes NPCs remember something", "For all NPCs, or for one: /remember Bartok: the miller owes you nine silver. Without a text, they remember the last line."},
		{"/memory", "[DECISION]", "decides what the NPCs learn", "DECISION is yes, no or drop with a number, or list: /memory, then /memory yes 3, or /memory no 3; /memory list shows what they learnt, /memory drop 3 makes them forget it. /memory mentions shows where others mention players who were forgotten, /memory erase 12 deletes a line of that list."},
		{"/undo", "[NUMBER|list]", "undoes a change to the world", "/undo undoes the last change; for another, /undo list, then /undo 7."},
		{"/approve", "[yes|no] [ID]", "decides what NPCs ask you to allow", "/approve shows what is waiting; /approve yes allows it this once."},
		{"/reload", "", "reads the NPC files again", ""},
	}},
	{"who plays along", []order{
		{"/guests", "[remove NAME|link]", "who has joined in a browser, and the link", "This needs --browser at the start. /guests remove Ana removes Ana and makes a new link, because the old one would let Ana in again; /guests link only makes a new link."},
	}},
	{"what happened, and why", []order{
		{"/why", "[NPC]", "explains the last answer", "/why Bartok"},
		{"/ledger", "", "shows how long each step of the last answers took", ""},
		{"/timing", "[on|off]", "shows how long each answer took", "Without on or off, it switches. --timing turns it on from the start."},
		{"/tools", "", "shows the NPCs, and the tools each may use now", ""},
		{"/listen", "", "shows whom the NPCs can hear", ""},
		{"/cost", "", "shows what the session has cost", ""},
	}},
	{"yourself", []order{
		{"/help", "[COMMAND]", "lists the commands, or explains one", "/help raise"},
		{"/quit", "", "ends the session", ""},
	}},
}

// eachOrder calls f for each order until it returns false.
func eachOrder(f func(order) bool) {
	for _, g := range orderGroups {
		for _, o := range g.orders {
			if !f(o) {
				return
			}
		}
	}
}

// findOrder finds an order by its word, with or without slash.
func findOrder(word string) (found order, ok bool) {
	word = "/" + strings.TrimPrefix(strings.ToLower(word), "/")
	if word == "/exit" {
		word = "/quit"
	}
	eachOrder(func(o order) bool {
		if o.word == word {
			found, ok = o, true
		}
		return !ok
	})
	return found, ok
}

// standsAlone reports whether an order has no arguments.
func standsAlone(word string) bool {
	o, ok := findOrder(word)
	return ok && o.args == ""
}

// noSuchOrder returns an error for an unknown order, with the nearest known one.
func noSuchOrder(word string) error {
	var known []string
	eachOrder(func(o order) bool { known = append(known, o.word); return true })
	if near := userfile.Nearest(strings.ToLower(word), known); near != "" {
		return fmt.Errorf("there is no command %s; did you mean %s? /help lists them all", word, near)
	}
	return fmt.Errorf("there is no command %s; /help lists them all", word)
}

// explain carries out /help and /timing, the orders about the terminal itself.
func (p *console) explain(word, rest string) (string, error) {
	if word == "/timing" {
		return p.setTiming(rest)
	}
	if rest == "" {
		return listOrders(), nil
	}
	o, ok := findOrder(rest)
	if !ok {
		return "", noSuchOrder("/" + strings.TrimPrefix(rest, "/"))
	}
	lines := []string{strings.TrimSpace(o.word+" "+o.args) + ": " + o.does}
	if o.more != "" {
		lines = append(lines, o.more)
	}
	return strings.Join(lines, "\n"), nil
}

// listOrders lists all orders in groups, one per line.
func listOrders() string {
	lines := []string{"anything else is speech: start with an NPC's name to speak to them", "\"Alys: …\" speaks as another player"}
	widest := 0
	eachOrder(func(o order) bool {
		widest = max(widest, len(o.word)+1+len(o.args))
		return true
	})
	for _, g := range orderGroups {
		lines = append(lines, g.about+":")
		for _, o := range g.orders {
			lines = append(lines, fmt.Sprintf("  %-*s  %s", widest, o.word+" "+o.args, o.does))
		}
	}
	return strings.Join(append(lines, "/help COMMAND explains one"), "\n")
}

// setTiming switches the timing after each answer on or off.
func (p *console) setTiming(rest string) (string, error) {
	now := p.screen.switchTiming(rest)
	if i := slices.Index([]string{"", "on", "off"}, rest); i < 0 {
		return "", errors.New("usage: /timing, /timing on or /timing off")
	}
	if now {
		return "each answer is now followed by its tier and how long it took; /timing off ends that", nil
	}
	return "how long answers take is no longer shown; /timing shows it again, /ledger lists the last ones", nil
}

// barewords are words that people type to leave or for help without the slash.
var barewords = map[string]string{
	"quit": "Leave? Type /quit", "exit": "Leave? Type /quit", "bye": "Leave? Type /quit", ":q": "Leave? Type /quit",
	"help": "Help? Type /help", "?": "Help? Type /help",
}

// forAll reports whether an order accepts "all" as its NPC.
func (o order) forAll() bool {
	return strings.HasPrefix(o.args, "NPC") && slices.Contains([]string{"/mute", "/unmute", "/raise", "/lower"}, o.word)
}

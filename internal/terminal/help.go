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
		{"/raise", "NPC TIER [FOR]", "lets an NPC take longer for a while; or all", "TIER is standard or deep; FOR is a time or a number of turns: /raise Bartok deep 5m, or /raise Bartok deep 3 turns. Whichever is over first ends it; without either it is 5 minutes or 10 turns."},
		{"/lower", "NPC [TIER]", "keeps an NPC, or all, quick", "TIER is fast, unless you say standard: /lower Bartok. /raise ends it."},
		{"/listening", "[HOW]", "how readily they answer", "HOW is eager, attentive or called_only; alone it says how they listen now. called_only: who is called by name answers, nobody else."},
	}},
	{"what they say", []order{
		{"/direct", "NPC [text]", "tells an NPC how to play its next turns", "/direct Bartok lie about the key. Without a text the NPC plays freely again."},
		{"/say", "NPC text", "has an NPC say exactly that", "/say Bartok Last orders, please"},
		{"/whisper", "NPC text", "speaks to one NPC alone", "/whisper Bartok Who is the man by the door? Nobody else at the table learns of it."},
		{"/reveal", "NPC [NUMBER|all]", "lets an NPC tell a secret of its file", "Without a number the secrets are listed: /reveal Bartok, then /reveal Bartok 2."},
		{"/conceal", "NPC", "has an NPC keep its secrets again", "/conceal Bartok"},
		{"/unsay", "[NPC]", "takes an answer back", "It was never said then. Without a name it is the last answer. /again asks for another one."},
		{"/again", "[NPC]", "the same, and asks for another", "/again, or /again Bartok"},
	}},
	{"the world and what is remembered", []order{
		{"/date", "[DATE]", "which day it is in the world, or sets it", "/date 3 Harvestmoon 1024"},
		{"/remember", "[NPC:] [text]", "keeps something in mind", "For all NPCs, or for one: /remember Bartok: the miller owes you nine silver. Without a text it is the last line."},
		{"/memory", "[DECISION]", "what they may have learnt, to decide on", "DECISION is yes, no or drop with a number, or list: /memory, then /memory yes 3, or /memory no 3; /memory list shows what is learnt, /memory drop 3 forgets it. /memory mentions shows where others mention players who were forgotten, /memory erase 12 deletes a line of that list."},
		{"/undo", "[NUMBER|list]", "takes a change to the world back", "Alone it is the last change: /undo list, then /undo 7."},
		{"/approve", "[yes|no] [ID]", "decides on a tool's call that waits for you", "/approve shows what waits; /approve yes lets the only one pass, once."},
		{"/reload", "", "reads the NPC files anew", ""},
	}},
	{"who plays along", []order{
		{"/guests", "[remove NAME|link]", "who has joined in a browser, and the link", "Where the play was started with --browser: /guests remove Ana has Ana leave, and makes a new link, for the old one would let Ana in again; /guests link only makes a new one."},
	}},
	{"what happened, and why", []order{
		{"/why", "[NPC]", "tells what went into the last answer", "/why Bartok"},
		{"/ledger", "", "the last turns with the time of each stage", ""},
		{"/timing", "[on|off]", "shows how long each answer took", "Alone it turns that on or off. --timing has it on from the start."},
		{"/tools", "", "the NPCs, and the tools each may use now", ""},
		{"/listen", "", "says what is heard of whom", ""},
		{"/cost", "", "says what the session has cost", ""},
	}},
	{"yourself", []order{
		{"/help", "[ORDER]", "lists these, or tells of one", "/help raise"},
		{"/quit", "", "ends the play", ""},
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
		return fmt.Errorf("%s is no command; did you mean %s? /help lists them", word, near)
	}
	return fmt.Errorf("%s is no command; /help lists them", word)
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
	lines := []string{"all else is said: begin with a name to speak to somebody", "\"Alys: …\" speaks as another player"}
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
	return strings.Join(append(lines, "/help ORDER tells more of one"), "\n")
}

// setTiming switches the timing after each answer on or off.
func (p *console) setTiming(rest string) (string, error) {
	now := p.screen.switchTiming(rest)
	if i := slices.Index([]string{"", "on", "off"}, rest); i < 0 {
		return "", errors.New("usage: /timing, /timing on or /timing off")
	}
	if now {
		return "each answer is followed by its tier and how long it took; /timing off ends that", nil
	}
	return "how long answers take is not shown; /timing shows it, /ledger lists the last ones", nil
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

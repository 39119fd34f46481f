package table

import (
	"bytes"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/ear"
)

// TestPhasesAreAsDrawn compares docs/table.md with the phases and exits of the code.
func TestPhasesAreAsDrawn(t *testing.T) {
	page, err := os.ReadFile("../../docs/table.md")
	if err != nil {
		t.Fatal(err)
	}
	for title, want := range map[string]map[string][]string{
		"### A turn":    namesOf(exits[:]),
		"### A passage": namesOf(passageExits[:]),
	} {
		_, section, ok := strings.Cut(string(page), title+"\n")
		section, _, _ = strings.Cut(section, "\n##")
		_, picture, _ := strings.Cut(section, "\n```\n")
		picture, list, drawn := strings.Cut(picture, "\n```\n")
		if !ok || !drawn {
			t.Fatalf("the page has no section %q with a picture", title)
		}
		got := map[string][]string{}
		for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|[^|]*\\|([^|]*)\\|$").FindAllStringSubmatch(list, -1) {
			got[row[1]] = []string{}
			for _, exit := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(row[2], -1) {
				got[row[1]] = append(got[row[1]], exit[1])
			}
		}
		for phase, exits := range want {
			if !slices.Equal(got[phase], exits) {
				t.Errorf("%s: %s leads to %v on the page, to %v in the code", title, phase, got[phase], exits)
			}
			if !strings.Contains(picture, phase) {
				t.Errorf("%s: the picture lacks %s", title, phase)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: the page has %d phases, the code %d", title, len(got), len(want))
		}
	}
}

func namesOf[P interface {
	~uint8
	String() string
}](exits [][]P) map[string][]string {
	names := map[string][]string{}
	for from, tos := range exits {
		names[P(from).String()] = []string{}
		for _, to := range tos {
			names[P(from).String()] = append(names[P(from).String()], to.String())
		}
	}
	return names
}

// TestPhasesLeadToTheEnd checks that every phase is reachable from a beginning, and the end
// from every phase.
func TestPhasesLeadToTheEnd(t *testing.T) {
	reached := func(from phase) []phase {
		all := []phase{from}
		for i := 0; i < len(all); i++ {
			for _, next := range exits[all[i]] {
				if !slices.Contains(all, next) {
					all = append(all, next)
				}
			}
		}
		return all
	}
	for p := range phases {
		if !slices.Contains(reached(p), over) {
			t.Errorf("%s does not lead to the end", p)
		}
		if p != guessed && !slices.Contains(reached(arrived), p) {
			t.Errorf("no utterance gets %s", p)
		}
	}
	if len(exits[over]) > 0 {
		t.Errorf("over leads to %v", exits[over])
	}
}

// TestWrongMovesAreLogged checks the log, because rooms fail if an error is logged.
func TestWrongMovesAreLogged(t *testing.T) {
	for from := range phases {
		for to := range phases {
			var log bytes.Buffer
			r := turns{log: slog.New(slog.NewTextHandler(&log, nil))}
			tn := &turn{phase: from}
			r.moveTo(tn, to)
			if wrong := !slices.Contains(exits[from], to); wrong != strings.Contains(log.String(), "may not") || tn.phase != to {
				t.Errorf("from %s to %s: wrong = %v, logged %q", from, to, wrong, log.String())
			}
		}
	}
}

// TestPassagePhases puts a passage through all sequences of events and checks its exits.
func TestPassagePhases(t *testing.T) {
	events := map[string]func(*passage){
		"opened":     (*passage).open,
		"ended":      (*passage).endSegment,
		"final":      func(p *passage) { p.addFinal(ear.Event{Text: "word"}) },
		"broken off": (*passage).abort,
	}
	type state struct {
		phase passagePhase
		due   int
	}
	seen, used := map[state]bool{}, map[[2]passagePhase]bool{}
	for todo := []state{{}}; len(todo) > 0; todo = todo[1:] {
		from := todo[0]
		if seen[from] || from.due > 3 {
			continue
		}
		seen[from] = true
		for name, f := range events {
			p := passage{phase: from.phase, pendingFinals: from.due}
			f(&p)
			if p.phase != from.phase && !slices.Contains(passageExits[from.phase], p.phase) {
				t.Errorf("%s with %d due, %s: %s", from.phase, from.due, name, p.phase)
			}
			if p.phase == passageClosed && p.pendingFinals > 0 || p.phase == passageDue && p.pendingFinals == 0 {
				t.Errorf("%s with %d due, %s: %s with %d due", from.phase, from.due, name, p.phase, p.pendingFinals)
			}
			used[[2]passagePhase{from.phase, p.phase}] = true
			todo = append(todo, state{p.phase, p.pendingFinals})
		}
	}
	for from, tos := range passageExits {
		for _, to := range tos {
			if !used[[2]passagePhase{passagePhase(from), to}] {
				t.Errorf("%s never leads to %s", passagePhase(from), to)
			}
		}
	}
}

// TestEffectsKeepTheirOrder: the effects that an effect causes run before those that waited.
func TestEffectsKeepTheirOrder(t *testing.T) {
	var q effects
	q.add("a")
	q.add("b")
	var order []string
	for e, ok := q.pop(); ok; e, ok = q.pop() {
		name := e.(string)
		order = append(order, name)
		if len(name) < 3 && name != "b" {
			q.add(name + "1")
			q.add(name + "2")
		}
	}
	if want := []string{"a", "a1", "a11", "a12", "a2", "a21", "a22", "b"}; !slices.Equal(order, want) {
		t.Errorf("order = %v, want %v", order, want)
	}
}

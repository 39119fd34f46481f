package truth_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa"
	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/orders"
)

// orderLine is a line of orders/dev.tsv.
type orderLine struct{ id, language, class, situation, text, want string }

func orderLines(t *testing.T, name string) (all []orderLine) {
	t.Helper()
	f, err := os.Open(filepath.Join(corpora, "orders", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		cells := strings.Split(in.Text(), "\t")
		if len(cells) != 6 || slices.Contains(cells, "") {
			t.Fatalf("%s: %q has no six cells", name, in.Text())
		}
		if cells[0] != "id" {
			all = append(all, orderLine{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]})
		}
	}
	return all
}

// ordersCast is the shipped cast, and the first word of each NPC's id by index.
func ordersCast(t *testing.T) (at *address.Snapshot, ids []string) {
	t.Helper()
	cfg, err := config.Load("", &config.Options{BuiltIn: glyphoxa.Shipped})
	if err != nil {
		t.Fatal(err)
	}
	var r address.Roster
	for _, n := range cfg.NPCs {
		r.NPCs = append(r.NPCs, address.NPC{ID: n.ID, Name: n.Name, Aliases: n.Aliases, Role: n.Role})
		words := strings.Split(n.ID, "-")
		i := 0
		if words[0] == "captain" || words[0] == "lady" {
			i = 1
		}
		ids = append(ids, words[i])
	}
	return address.NewSnapshot(r), ids
}

// read is what a line orders, as the corpus writes it.
func (l orderLine) read(at *address.Snapshot, ids []string) string {
	room := orders.Room{Named: at.Named, Partner: -1, Players: []string{"Ana", "Ben", "Mira"}}
	room.Silenced = func(int) bool { return l.situation == "silenced" }
	if name, ok := strings.CutPrefix(l.situation, "talking "); ok {
		room.Partner = slices.Index(ids, name)
	}
	o, ok := orders.Parse(l.text, room)
	if !ok {
		return "none"
	}
	if o.Kind == orders.EndSession {
		return "end"
	}
	who := "all"
	if o.NPC != orders.Everyone {
		who = ids[o.NPC]
	}
	switch o.Kind {
	case orders.Say:
		return "say " + who + " " + o.Text
	case orders.Raise, orders.Lower:
		return fmt.Sprintf("%v %s %v", o.Kind, who, o.Tier)
	}
	return fmt.Sprintf("%v %s", o.Kind, who)
}

// TestEvalOrders scores the reading of spoken orders: what is none is never taken for
// one, and of those that are 95 % are carried out as they were meant.
func TestEvalOrders(t *testing.T) {
	at, ids := ordersCast(t)
	files := []string{"dev.tsv"}
	if withHeld() {
		files = append(files, "held.tsv")
	}
	for _, name := range files {
		lines := orderLines(t, name)
		wanted := 0
		for _, l := range lines {
			if l.want != "none" {
				wanted++
			}
		}
		holdCounts(t, "orders/"+name, len(lines), wanted)
		var scores []score
		add := func(what string, right bool) {
			i := slices.IndexFunc(scores, func(s score) bool { return s.name == what })
			if i < 0 {
				i = len(scores)
				scores = append(scores, score{name: what})
			}
			scores[i].total++
			if right {
				scores[i].right++
			}
		}
		for _, l := range lines {
			got := l.read(at, ids)
			right := strings.EqualFold(got, l.want)
			add(l.class, right)
			add(l.language, right)
			if name != "dev.tsv" {
				continue
			}
			if !right {
				t.Logf("%s %q is %q, want %q", l.id, l.text, got, l.want)
			}
			if l.want == "none" && !right {
				t.Errorf("%s %q is taken for an order", l.id, l.text)
			}
		}
		logScores(t, "orders "+name, scores)
		for _, s := range scores {
			if s.name == "order" && s.percent() < 95 && name == "dev.tsv" {
				t.Errorf("%.1f %% of the orders are carried out, want 95", s.percent())
			}
		}
	}
}

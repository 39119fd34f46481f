package truth

import (
	"fmt"
	"slices"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/orders"
)

// orderLine is a line of orders/dev.jsonl; see the page there.
type orderLine struct {
	ID, Lang, Text, Class string
	Cast                  []string
	Want                  struct{ Order, NPC, Text, Tier string }
}

func orderLines(t *testing.T, name string) []orderLine {
	t.Helper()
	all, err := readRows[orderLine](repository.corpus("orders", name))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// isRead reports whether a line is read correctly, and how it was read.
func (l orderLine) isRead() (right bool, got string) {
	var r address.Roster
	for _, name := range l.Cast {
		r.NPCs = append(r.NPCs, address.NPC{ID: name, Name: name})
	}
	// All NPCs are silenced, so that "go on" may be an order, which is the
	// harder case.
	o, ok := orders.Parse(l.Text, orders.Room{Named: address.NewSnapshot(r).HeardAs, Silenced: func(int) bool { return true }, Partner: -1})
	kind := l.Want.Order
	if !ok {
		return kind == "none", "none"
	}
	who := ""
	if o.Kind != orders.EndSession && o.NPC != orders.Everyone {
		who = l.Cast[o.NPC]
	}
	got = fmt.Sprintf("%v %s %v %s", o.Kind, who, o.Tier, o.Text)
	same := map[string][]orders.Kind{
		"mute": {orders.Quiet}, "stop_all": {orders.Quiet}, "unmute": {orders.Resume}, "go_on": {orders.Resume}, "say": {orders.Say},
		"raise": {orders.Raise, orders.Think}, "lower": {orders.Lower}, "end_session": {orders.EndSession},
	}[kind]
	tier := l.Want.Tier == "" || o.Tier.String() == l.Want.Tier
	return slices.Contains(same, o.Kind) && who == l.Want.NPC && tier && plain(o.Text) == plain(l.Want.Text), got
}

// heldOrders are lines that developers of the reader have not seen.
const heldOrders = "held5.jsonl"

// TestEvalOrders scores the reading of spoken orders. Other lines must never
// count as orders.
func TestEvalOrders(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	files := []string{"dev.jsonl", "dev2.jsonl", "dev3.jsonl", "dev4.jsonl", "dev5.jsonl", "dev6.jsonl", "dev7.jsonl"}
	if withHeld() {
		files = append(files, heldOrders)
	}
	for _, name := range files {
		scores := tally{}
		for _, l := range orderLines(t, name) {
			right, got := l.isRead()
			scores.count("all "+l.Lang, right)
			scores.count(l.Class, right)
			if l.Want.Order == "none" {
				scores.count("no order", right)
			} else {
				scores.count("order", right)
			}
			if right || name == heldOrders {
				continue
			}
			if *showMisses {
				t.Logf("%s %q is %q, want %q", l.ID, l.Text, got, l.Want)
			}
			if l.Want.Order == "none" {
				t.Errorf("%s %q is taken for an order: %s", l.ID, l.Text, got)
			}
		}
		logScores(t, "orders "+name, scores.sorted())
		want := 93.0
		if name == "dev7.jsonl" { // long and roundabout
			want = 90
		}
		if name != heldOrders && scores.of("order").percent() < want {
			t.Errorf("%.1f %% of the orders in %s are read, want %.0f", scores.of("order").percent(), name, want)
		}
	}
}

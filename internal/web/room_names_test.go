package web_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/visitor"
	"github.com/MrWong99/glyphoxa/internal/web"
)

// TestNamesThatPassForOthersAreNotLetIn: no guest may join under a name that looks like an
// NPC's, another player's, the terminal's or a role's in any spelling, nor under an invisible
// one. The page says what to do.
func TestNamesThatPassForOthersAreNotLetIn(t *testing.T) {
	type attempt struct {
		name, text string
		status     int
	}
	all := []attempt{
		{"bartok", "bartok is the name of someone in the story. Choose another name.", 409},
		{"Вartok", "looks like the name of Bartok", 409},
		{"Bаrtоk", "looks like the name of Bartok", 409},
		{"Bartok\u200b", "the name of someone in the story", 409},
		{"\u202eBartok", "the name of someone in the story", 409},
		{"Bart\U000e0061ok", "the name of someone in the story", 409},
		{"Ｂartok", "the name of someone in the story", 409},
		{"𝔅𝔞𝔯𝔱𝔬𝔨", "the name of someone in the story", 409},
		{"ʙᴀʀᴛᴏᴋ", "looks like the name of Bartok", 409},
		{"🅱artok", "looks like the name of Bartok", 409},
		{"B a r t o k", "looks like the name of Bartok", 409},
		{"Bartok.", "looks like the name of Bartok", 409},
		{"Bartok!", "looks like the name of Bartok", 409},
		{"Bart0k", "looks like the name of Bartok", 409},
		{"B\u0337\u0301a\u0321rt\u0300ok", "looks like the name of Bartok", 409},
		{"Bartok (DM)", "cannot be a player's name", 409},
		{"Jo [NPC]", "cannot be a player's name", 409},
		{"Ｓystem", "cannot be a player's name", 409},
		{"Аssistant", "cannot be a player's name", 409},
		{"Game Master", "cannot be a player's name", 409},
		{"GameMaster", "cannot be a player's name", 409},
		{"Erzähler", "cannot be a player's name", 409},
		{"Spielleitung", "cannot be a player's name", 409},
		{"Glyphoxa", "cannot be a player's name", 409},
		{"Player", "is already at the table. Choose another name.", 409},
		{"P1ayer", "P1ayer looks like Player, who is already at the table", 409},
		{"Рlayer", "looks like Player, who is already at the table", 409},
		{"PIayer", "looks like Player, who is already at the table", 409},
		{"greta", "greta is already at the table. Choose another name.", 409},
		{"Gretа", "Gretа looks like Greta, who is already at the table.", 409},
		{"Greta…", "looks like Greta, who is already at the table", 409},
		{"\u3164", "at least one visible letter or digit", 400},
		{"\u2800\u115f\uffa0", "at least one visible letter or digit", 400},
		{"\u0301\u0302", "at least one visible letter or digit", 400},
		{"[]", "at least one visible letter or digit", 400},
		{"B" + strings.Repeat("\u0301\u0321", 400), "A name may have at most 40 characters.", 400},
	}
	for some := range slices.Chunk(all, 15) { // more at once exceed the limit of one address
		b := open(t, setup{answer: "Hello."})
		b.enter("Greta")
		for _, row := range some {
			t.Run(row.name, func(t *testing.T) {
				p, err := b.join(visitor.Options{Name: row.name})
				var refused *visitor.Refused
				if !errors.As(err, &refused) || refused.Status != row.status || !strings.Contains(refused.Text, row.text) {
					t.Errorf("err = %v, want %d with %q", err, row.status, row.text)
				}
				if p.Visitor != nil {
					t.Error("a visitor is left")
				}
			})
		}
		if got := b.room.Guests(); len(got) != 1 || got[0] != "Greta" {
			t.Errorf("guests are %v after all refusals, want Greta alone", got)
		}
	}
}

// TestNamesAreShownClean: names in other scripts, with accents and pictures are shown
// unchanged, without surrounding characters.
func TestNamesAreShownClean(t *testing.T) {
	b := open(t, setup{answer: "Hello.", options: web.RoomOptions{MaxGuests: 8}})
	for _, row := range []struct{ name, shown string }{
		{"  Jo\u200b\tBerg ", "Jo Berg"}, {"राम", "राम"}, {"Zo\u0308e", "Zöe"}, {"🐉", "🐉"}, {"Nell [she/her]", "Nell she/her"},
	} {
		if p := b.enter(row.name); p.Name != row.shown {
			t.Errorf("%q is shown as %q, want %q", row.name, p.Name, row.shown)
		}
	}
}

func TestANameIsFreeOnceItsPlayerHasLeft(t *testing.T) {
	b := open(t, setup{answer: "Hello."})
	b.enter("Greta")
	if _, err := b.join(visitor.Options{Name: "Greta"}); err == nil {
		t.Fatal("another player is Greta, too")
	}
	if err := b.room.Remove("Greta"); err != nil {
		t.Fatal(err)
	}
	for len(b.room.Guests()) > 0 {
		time.Sleep(10 * time.Millisecond)
	}
	if p := b.enter("Greta"); p.Name != "Greta" {
		t.Errorf("the next Greta is shown as %q", p.Name)
	}
}

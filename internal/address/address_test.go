package address_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/address"
)

// barkeep is a table with a player and an NPC whose name has several words.
func barkeep(player string) address.Roster {
	return address.Roster{NPCs: []address.NPC{{Name: "Bartok the Barkeep", Aliases: []string{"Bart"}}, {Name: "Greta"}}, Players: []string{player}}
}

func Example() {
	s := address.NewSnapshot(address.Roster{NPCs: []address.NPC{{Name: "Bartok the Barkeep", Aliases: []string{"Bart"}}, {Name: "Greta Holm"}}})
	greta := address.Partner{Known: true, NPC: 1, Ago: 5 * time.Second}
	st := address.State{Speaker: "Alice", Last: greta, LastTo: "Alice", Own: greta, Said: "I would not go there.", Fresh: true}
	for _, text := range []string{"Art, an ale!", "And why?", "Is anybody hungry? I could order pizza.", "Both of you, stop!", "mhm"} {
		d := address.Detect(s, st, text)
		fmt.Println(d.NPCs, d.Route, d.Why)
	}
	// Output:
	// [0] name a name as it was heard
	// [1] continuation it goes on with the conversation
	// [] none it sounds like talk among the players
	// [1 0] group everyone was called
	// [] none a mere sound
}

// big is a table of n NPCs whose names are built from syllables.
func big(n int) address.Roster {
	r := address.Roster{Players: []string{"Tom", "Alice", "Lena", "Bert"}}
	starts := []string{"Bar", "Gre", "Yso", "Thal", "Mor", "Wil", "Cor", "Jun", "Har", "Kael"}
	ends := []string{"tok", "mantle", "dorin", "vane", "row"}
	for i := range n {
		name := starts[i%10] + ends[i/10%5] + strings.Repeat("a", i/50)
		r.NPCs = append(r.NPCs, address.NPC{ID: name, Name: name + " the Barkeep", Aliases: []string{name[:4] + "i", "old " + name}})
	}
	return r
}

// BenchmarkDetect decides lines of about 100 characters at a table of 50 NPCs.
func BenchmarkDetect(b *testing.B) {
	s := address.NewSnapshot(big(50))
	st := address.State{Speaker: "Tom", Last: address.Partner{Known: true, NPC: 7}}
	for _, bc := range []struct{ name, text string }{
		{"named", "Bartok, could you please tell us again what exactly the stranger with the grey cloak said last night?"},
		{"misheard", "Bardog, could you please tell us again what exactly the stranger with the grey cloak said last night?"},
		{"continued", "so could you please tell us again what exactly the stranger with the long grey cloak said last night?"},
		{"choppy", "Verily, naught, zounds. Quelk, brunz, morgle. Yelth, kraxis, tolum. Blythe, quorn, vesper. Zarn, ithil?"},
		{"about", "I walked across the market with Gremantle and Ysotok, and nobody there had ever heard of the old mill."},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				address.Detect(s, st, bc.text)
			}
		})
	}
}

func BenchmarkNewSnapshot(b *testing.B) {
	r := big(50)
	b.ReportAllocs()
	for b.Loop() {
		address.NewSnapshot(r)
	}
}

func TestDetectIsQuick(t *testing.T) {
	s := address.NewSnapshot(big(50))
	text := strings.Repeat("Verily, naught, zounds. ", 50_000)
	start := time.Now()
	address.Detect(s, address.State{}, text)
	if took := time.Since(start); took > time.Minute {
		t.Errorf("a line of 1.2 MB took %v, want it cut and decided at once", took)
	}
}

func TestUnusualRosters(t *testing.T) {
	for _, row := range []struct {
		name   string
		roster address.Roster
		text   string
		want   string
	}{
		{"nobody there", address.Roster{}, "Bart, an ale!", "none []"},
		{"a name of marks", address.Roster{NPCs: []address.NPC{{Name: "?!"}, {Name: "Greta"}}}, "?! Greta?", "name [1]"},
		{"a name in Cyrillic", address.Roster{NPCs: []address.NPC{{Name: "Боромир"}, {Name: "Greta"}}}, "Боромир, иди сюда!", "name [0]"},
		{"misheard in Cyrillic", address.Roster{NPCs: []address.NPC{{Name: "Боромир"}, {Name: "Greta"}}}, "Барамир, иди сюда!", "none []"},
		{"composed otherwise", address.Roster{NPCs: []address.NPC{{Name: "Ko\u0308hler"}, {Name: "Greta"}}}, "K\u00f6hler, komm her!", "name [0]"},
		{"a name with an apostrophe", address.Roster{NPCs: []address.NPC{{Name: "Drizz't"}, {Name: "Greta"}}}, "Drizz’t, run!", "name [0]"},
		{"a hyphenated name", address.Roster{NPCs: []address.NPC{{Name: "Anna-Lena"}, {Name: "Greta"}}}, "Anna Lena, run!", "name [0]"},
		{"a very long name", address.Roster{NPCs: []address.NPC{{Name: strings.Repeat("long ", 500)}, {Name: "Greta"}}}, "Greta!", "name [1]"},
		{"a shared word calls nobody", address.Roster{NPCs: []address.NPC{{Name: "Anna Holm"}, {Name: "Greta Holm"}}}, "Holm, come here!", "none []"},
		{"a player with an NPC's name", address.Roster{NPCs: []address.NPC{{Name: "Bart"}, {Name: "Greta"}}, Players: []string{"Bart"}}, "Bart, an ale!", "name [0]"},
		{"a player with a part of an NPC's name", barkeep("Bartok"), "Bartok, an ale!", "name [0]"},
		{"a player who shares a part of an NPC's name", barkeep("Bartok Smith"), "Bartok, an ale!", "name [0]"},
		{"the whole name of that player", barkeep("Bartok Smith"), "Bartok Smith, your turn.", "none []"},
		{"what that player shares with nobody", barkeep("Bartok Smith"), "Smith, your turn.", "none []"},
		{"an alias that is a player's name", barkeep("Bart"), "Bart, an ale!", "name [0]"},
		{"a part that two NPCs share, and a player has", address.Roster{NPCs: []address.NPC{{Name: "Tessa Holm"}, {Name: "Greta Holm"}}, Players: []string{"Holm Berg"}}, "Holm, what now?", "none []"},
		{"a player called I", address.Roster{NPCs: []address.NPC{{Name: "Bart"}, {Name: "Greta"}}, Players: []string{"I", "You", "mhm"}}, "I ask Greta.", "name [1]"},
		{"a player called like a greeting", address.Roster{NPCs: []address.NPC{{Name: "Bart"}, {Name: "Greta"}}, Players: []string{"Hey"}}, "Hey Greta what now", "name [1]"},
		{"an NPC called like a greeting", address.Roster{NPCs: []address.NPC{{Name: "Bart"}, {Name: "Hey"}}}, "Hey, what now?", "name [1]"},
		{"a language without words", address.Roster{NPCs: []address.NPC{{Name: "Zoé"}, {Name: "Greta"}}, Languages: []string{"fr"}}, "Zoe, une bière!", "name [0]"},
		{"English alone knows no German", address.Roster{NPCs: []address.NPC{{Name: "Zoé"}, {Name: "Greta"}}, Languages: []string{"en-GB"}}, "hallo zusammen", "none []"},
		{"all are muted", address.Roster{NPCs: []address.NPC{{Name: "Zoé", Muted: true}, {Name: "Greta", Muted: true}}, Listening: address.Eager}, "Everyone, run!", "group [0 1]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := address.Detect(address.NewSnapshot(row.roster), address.State{}, row.text)
			if got := fmt.Sprint(d.Route, " ", d.NPCs); got != row.want {
				t.Errorf("Detect(%q) = %s (%s), want %s", row.text, got, d.Why, row.want)
			}
		})
	}
}

func TestPartnersOutsideTheRosterAreNobody(t *testing.T) {
	s := address.NewSnapshot(big(3))
	for _, npc := range []int{-1, 3, 1 << 40} {
		p := address.Partner{Known: true, NPC: npc}
		if d := address.Detect(s, address.State{Last: p, Own: p, LastTo: "x"}, "and why?"); d.Route != address.RouteNone {
			t.Errorf("with NPC %d: %+v, want nobody", npc, d)
		}
	}
}

func TestCalledOnlyHearsCallsAlone(t *testing.T) {
	npcs := []address.NPC{{Name: "Bartok the Barkeep", Aliases: []string{"Bart"}}, {Name: "Greta Holm"}}
	st := address.State{Speaker: "Alice", Last: address.Partner{Known: true, NPC: 1, Ago: time.Second}}
	for _, row := range []struct {
		name string
		npcs []address.NPC
		text string
		want string
	}{
		{"a name", npcs, "Bart, an ale!", "name [0]"},
		{"a group", npcs, "Both of you, stop!", "group [1 0]"},
		{"the conversation", npcs, "And what do you think?", "none []"},
		{"the only NPC", npcs[:1], "What do you think?", "none []"},
		{"asked after", npcs, "Where is Bartok?", "none []"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := address.NewSnapshot(address.Roster{NPCs: row.npcs, Listening: address.CalledOnly})
			d := address.Detect(s, st, row.text)
			if got := fmt.Sprint(d.Route, " ", d.NPCs); got != row.want {
				t.Errorf("Detect(%q) = %s (%s), want %s", row.text, got, d.Why, row.want)
			}
		})
	}
}

func TestWhoeverLeadsIsHeardOnlyWhereTheyGreet(t *testing.T) {
	s := address.NewSnapshot(address.Roster{NPCs: []address.NPC{{Name: "Bartok"}, {Name: "Greta"}}, Players: []string{"Hanna", "Tom"}, Leads: "Hanna"})
	st := address.State{Last: address.Partner{Known: true, NPC: 1}, Fresh: true, Said: "Who are you?"}
	for text, want := range map[string]string{
		"Bartok, Greta and a dog come in.": "none []", "You feel a chill.": "none []", "Hey Bartok, an ale!": "name [0]",
	} {
		st.Speaker = "Hanna"
		if d := address.Detect(s, st, text); fmt.Sprint(d.Route, " ", d.NPCs) != want {
			t.Errorf("Hanna, who leads: %q is %s %v (%s), want %s", text, d.Route, d.NPCs, d.Why, want)
		}
	}
	st.Speaker = "Tom"
	if d := address.Detect(s, st, "Greta, who are you?"); d.Route != address.RouteName {
		t.Errorf("Tom, who plays, is not heard: %+v", d)
	}
}

func TestCorrectionsTakeTheWrongOneBack(t *testing.T) {
	s := address.NewSnapshot(address.Roster{
		NPCs:    []address.NPC{{Name: "Bartok", Aliases: []string{"Bart"}}, {Name: "Greymantle the Sage", Aliases: []string{"the sage"}}, {Name: "Trude"}},
		Players: []string{"Marcus", "Fiete"},
	})
	for _, row := range []struct{ name, text, want string }{
		{"not you", "Sorry, not you, Bartok. Greymantle, you tell us.", "[1] [0]"},
		{"not you, without marks", "sorry not you bartok greymantle you tell us", "[1] [0]"},
		{"who was meant", "No wait, I meant the sage.", "[1] [0]"},
		{"a player was meant", "Quatsch, nicht die Trude, dich mein ich, Fiete.", "[] [2 0]"},
		{"no correction", "Bartok, I did not say that.", "[0] []"},
	} {
		t.Run(row.name, func(t *testing.T) {
			st := address.State{Speaker: "Marcus", Mine: address.Remark{Known: true, Speaker: "Marcus", NPC: 0, Ago: time.Second}}
			d := address.Detect(s, st, row.text)
			if got := fmt.Sprint(d.NPCs, " ", d.NotFor); got != row.want {
				t.Errorf("Detect(%q) = %s (%s), want %s", row.text, got, d.Why, row.want)
			}
		})
	}
}

// TestShapeIsNoMatter checks that case and spacing do not change a decision.
func TestShapeIsNoMatter(t *testing.T) {
	s := address.NewSnapshot(tables(t)["inn"].roster())
	words := rapid.SampledFrom([]string{
		"Bart", "Bartok", "Greta", "Art", "Bardok", "Grey mantle", "captain", "Tom", "hey", "and", "I ask", "the", "a", "you two",
		"everyone", "is", "mhm", "(coughs)", "\"", ",", ".", "?", " - ", "und", "ihr alle", "why", "Bart's",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(words, 0, 12).Draw(t, "words"), " ")
		st := address.State{Speaker: "Alice", Last: address.Partner{Known: rapid.Bool().Draw(t, "known"), NPC: 1}}
		want := address.Detect(s, st, text)
		for _, other := range []string{strings.ToUpper(text), strings.ToLower(text), "  " + strings.ReplaceAll(text, " ", " \t\n") + " "} {
			got := address.Detect(s, st, other)
			got.Gist, want.Gist = address.Gist{}, address.Gist{}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("Detect(%q) = %+v, and of %q %+v", text, want, other, got)
			}
		}
	})
}

// TestEveryNameCalls checks that each of an NPC's names calls it, whatever the other NPCs
// are called.
func TestEveryNameCalls(t *testing.T) {
	r := big(50)
	s := address.NewSnapshot(r)
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(r.NPCs)-1).Draw(t, "npc")
		n := r.NPCs[i]
		name := rapid.SampledFrom([]string{n.Name, n.Aliases[1]}).Draw(t, "name")
		text := fmt.Sprintf(rapid.SampledFrom([]string{"%s, come here!", "Come here, %s!", "Hey %s!", "Well, %s, what now?"}).Draw(t, "line"), name)
		if d := address.Detect(s, address.State{}, text); !reflect.DeepEqual(d.NPCs, []int{i}) || d.Route != address.RouteName {
			t.Fatalf("Detect(%q) = %+v, want NPC %d", text, d, i)
		}
	})
}

func FuzzDetect(f *testing.F) {
	for _, l := range lines(f, "dev.tsv") {
		f.Add("Bartok the Barkeep", "Tom", l.text, 1, true)
	}
	f.Add("’s'", "\xff", "’s’s 's\xff [(* ] ) Bart", -1, false)
	f.Fuzz(func(t *testing.T, name, speaker, text string, last int, barged bool) {
		s := address.NewSnapshot(address.Roster{
			NPCs:    []address.NPC{{Name: name, Aliases: []string{text}}, {Name: "Greta", AddressOnly: barged}, {Name: "Captain Harrow"}},
			Players: []string{speaker, "Tom"},
		})
		st := address.State{
			Speaker: speaker, Last: address.Partner{Known: true, NPC: last}, Barged: barged, LastTo: name, Own: address.Partner{Known: barged, NPC: 2},
			Said: name + text, Fresh: barged, Asides: last, Before: address.Remark{Known: true, Speaker: "Tom", NPC: last}, Group: []int{0, 2}, GroupBy: speaker, GroupSaid: 2,
		}
		d := address.Detect(s, st, text)
		if again := address.Detect(s, st, text); !reflect.DeepEqual(again, d) {
			t.Errorf("Detect(%q) = %+v, then %+v", text, d, again)
		}
		want := map[string]int{
			address.RouteName: 1, address.RouteContinuation: 1, address.RouteOnlyNPC: 1, address.RouteGroup: 2, address.RouteNone: 0,
		}
		if n, ok := want[d.Route]; !ok || n > len(d.NPCs) || n < len(d.NPCs) && d.Route != address.RouteGroup || d.BackChannel && n > 0 || d.Why == "" || d.Confidence <= 0 || d.Confidence > 1 {
			t.Errorf("Detect(%q) = %+v", text, d)
		}
		for k, i := range d.NPCs {
			if i < 0 || i > 2 || slices.Index(d.NPCs, i) != k {
				t.Errorf("Detect(%q) = %+v", text, d)
			}
		}
	})
}

package hotctx_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/hotctx"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// TestHearers checks who hears a line, by the characters' places and the doors between
// them.
func TestHearers(t *testing.T) {
	// The inn's rooms lie in a row: taproom, kitchen, pantry; the cellar is below.
	const scene = "You sit in the Taproom."
	at := map[string]string{"bart": "taproom", "cook": "kitchen", "maid": "pantry", "rat": "cellar"}
	for _, row := range []struct {
		name, scene string
		doors       string // "a>b" opens, "a|b" is closed
		to          string
		want        string
	}{
		{"no_doors", scene, "", "", "bart"},
		{"an_open_door", scene, "taproom>kitchen", "", "bart cook"},
		{"an_open_door_from_the_other_side", scene, "kitchen>taproom", "", "bart cook"},
		{"a_closed_door", scene, "taproom|kitchen", "", "bart"},
		{"a_door_that_was_closed", scene, "taproom>kitchen taproom|kitchen", "", "bart"},
		{"a_door_that_was_closed_from_the_other_side", scene, "taproom>kitchen kitchen|taproom", "", "bart"},
		{"not_through_two_doors", scene, "taproom>kitchen kitchen>pantry", "", "bart cook"},
		{"two_doors", scene, "taproom>kitchen taproom>cellar", "", "bart cook rat"},
		{"nobody_knows_where_the_scene_is", "Rain falls.", "", "", "bart cook maid rat"},

		{"to_one_in_the_scene", scene, "", "bart", "bart"},
		{"to_one_elsewhere", scene, "", "cook", "cook"},
		{"to_one_behind_an_open_door", scene, "taproom>kitchen", "cook", "bart cook"},
		{"to_one_behind_a_closed_door", scene, "taproom|kitchen", "cook", "cook"},
		{"to_one_between_two_doors", scene, "taproom>kitchen kitchen>pantry", "cook", "bart cook maid"},
		{"to_one_while_nobody_knows_where_the_scene_is", "Rain falls.", "", "cook", "cook"},
	} {
		t.Run(row.name, func(t *testing.T) {
			shot := hotctx.Earshot{Scene: row.scene, Places: map[string]memory.Entity{}}
			var people []hotctx.Person
			for id, place := range at {
				people = append(people, hotctx.Person{ID: id, Name: id})
				shot.Places[id] = memory.Entity{ID: place, Name: "The " + place}
			}
			shot.Doors = func(from string) (out []memory.Relation) {
				for door := range strings.FieldsSeq(row.doors) {
					kind := hotctx.OpensTo
					a, b, open := strings.Cut(door, ">")
					if !open {
						kind = hotctx.ClosedTo
						a, b, _ = strings.Cut(door, "|")
					}
					if a == from {
						out = append(out, memory.Relation{From: a, Type: kind, To: b})
					}
				}
				return out
			}
			var to *hotctx.Person
			if row.to != "" {
				to = &hotctx.Person{ID: row.to, Name: row.to}
			}
			slices.SortFunc(people, func(a, b hotctx.Person) int { return strings.Compare(a.ID, b.ID) })
			for range 2 { // in both seating orders
				var got []string
				for _, p := range shot.Hearers(to, people) {
					got = append(got, p.ID)
				}
				slices.Sort(got)
				if text := strings.Join(got, " "); text != row.want {
					t.Errorf("%q hear it, want %q", text, row.want)
				}
				slices.Reverse(people)
			}
		})
	}
}

// TestHearersByTheirFiles checks who hears a line if only the NPCs' files name places:
// then there are no doors.
func TestHearersByTheirFiles(t *testing.T) {
	all := inn()
	people := []hotctx.Person{all["bart"], all["sage"], all["capt"], all["spy"], all["lost"]}
	const tavern = "You push open the door of the Rusty Flagon. Old Greymantle looks up."
	for _, row := range []struct{ name, scene, to, want string }{
		{"in_the_scene_and_of_unknown_place", tavern, "", "bart sage lost"},
		{"to_one_in_the_scene", tavern, "bart", "bart sage lost"},
		{"to_one_elsewhere", tavern, "capt", "capt spy"},
		{"the_scene_is_nowhere", "Rain falls.", "", "bart sage capt spy lost"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var to *hotctx.Person
			if p, ok := all[row.to]; ok {
				to = &p
			}
			var got []string
			for _, p := range (hotctx.Earshot{Scene: row.scene}).Hearers(to, people) {
				got = append(got, p.ID)
			}
			if text := strings.Join(got, " "); text != row.want {
				t.Errorf("%q hear it, want %q", text, row.want)
			}
		})
	}
}

package world_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

type badArea struct {
	name string
	area world.Area
}

func badAreas() []badArea {
	return []badArea{
		{"negative_radius", world.Area{Radius: -math.SmallestNonzeroFloat64}},
		{"radius_is_no_number", world.Area{Radius: math.NaN()}},
		{"infinite_radius", world.Area{Radius: math.Inf(1)}},
		{"center_is_no_number", world.Area{Center: memory.Position{0, math.NaN(), 0}}},
		{"infinite_center", world.Area{Center: memory.Position{0, 0, math.Inf(-1)}}},
	}
}

func TestAreaContains(t *testing.T) {
	rows := []struct {
		name string
		area world.Area
		at   *memory.Position
		want bool
	}{
		{name: "nowhere", area: world.Area{Radius: math.MaxFloat64}, at: nil},
		{name: "centre", area: world.Area{Center: memory.Position{1, 2, 3}}, at: at(1, 2, 3), want: true},
		{name: "beside_a_point", area: world.Area{Center: memory.Position{1, 2, 3}}, at: at(1, 2, 3.001)},
		{name: "on_the_surface", area: world.Area{Radius: 3}, at: at(1, 2, 2), want: true},
		{name: "just_outside", area: world.Area{Radius: 3}, at: at(1, 2, 2.0000001)},
		{name: "behind", area: world.Area{Center: memory.Position{-5, 0, 0}, Radius: 5}, at: at(-10, 0, 0), want: true},
		{name: "huge_inside", area: world.Area{Radius: 1e300}, at: at(1e200, 1e200, 1e200), want: true},
		{name: "huge_outside", area: world.Area{Radius: 1e200}, at: at(1e300, 0, 0)},
		{name: "opposite_ends", area: world.Area{Center: memory.Position{-math.MaxFloat64, 0, 0}, Radius: math.MaxFloat64}, at: at(math.MaxFloat64, 0, 0)},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := row.area.Contains(row.at); got != row.want {
				t.Errorf("Contains = %v, want %v", got, row.want)
			}
		})
	}
}

func areaTexts() map[string]*world.Area {
	return map[string]*world.Area{
		`{"center":[1,-2,3.5],"radius":4}`:            {Center: memory.Position{1, -2, 3.5}, Radius: 4},
		` {"radius":0,"center":[0,0,0]} `:             {},
		`{"center":[1,2,3],"radius":-1}`:              nil,
		`{"center":[1,2],"radius":1}`:                 nil,
		`{"center":[1,2,3,4],"radius":1}`:             nil,
		`{"center":[1,null,3],"radius":1}`:            nil,
		`{"center":null,"radius":1}`:                  nil,
		`{"center":[1,2,3]}`:                          nil,
		`{"center":[1,2,3],"radius":null}`:            nil,
		`{"center":["1",2,3],"radius":1}`:             nil,
		`{"center":[1,2,3],"radius":"all"}`:           nil,
		`{"center":[1e999,2,3],"radius":1}`:           nil,
		`{"center":[1,2,3],"radius":1,"shape":"x"}`:   nil,
		`{"center":[1,2,3],"radius":1}{}`:             nil,
		`{"center":{"x":1,"y":2,"z":3},"radius":1}`:   nil,
		`{"centre":[1,2,3],"radius":1}`:               nil,
		`null`:                                        nil,
		`[]`:                                          nil,
		`"everything"`:                                nil,
		``:                                            nil,
		`{`:                                           nil,
		`{"center":[1,2,3],"radius":1,"radius":-1}`:   nil,
		`{"center":[1,2,3],"Radius":1}`:               {Center: memory.Position{1, 2, 3}, Radius: 1},
		"\xff{\"center\":[1,2,3],\"radius\":1}":       nil,
		`{"center":[[1],2,3],"radius":1}`:             nil,
		`{"center":[1,2,3],"radius":NaN}`:             nil,
		`{"center":[true,2,3],"radius":1}`:            nil,
		`{"center":[1,2,3],"radius":1e400}`:           nil,
		`{"center":[1,2,3],"radius":[1]}`:             nil,
		`{"center":[-0,-0.0,1e-400],"radius":1e-400}`: {},
	}
}

func TestParseArea(t *testing.T) {
	for text, want := range areaTexts() {
		t.Run(text, func(t *testing.T) {
			got, err := world.ParseArea([]byte(text))
			if want == nil {
				if !errors.Is(err, mcp.ErrInvalidArguments) {
					t.Errorf("ParseArea = %+v, %v; want ErrInvalidArguments", got, err)
				}
				return
			}
			if err != nil || got != *want {
				t.Errorf("ParseArea = %+v, %v; want %+v", got, err, *want)
			}
		})
	}
}

// FuzzParseArea checks that every accepted area can be subscribed to and survives a round trip.
func FuzzParseArea(f *testing.F) {
	for text := range areaTexts() {
		f.Add([]byte(text))
	}
	w, err := world.Open(f.Context(), newShelf(), world.Options{})
	must(f, "opening the world", err)
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := world.ParseArea(data)
		if err != nil {
			if !errors.Is(err, mcp.ErrInvalidArguments) {
				t.Errorf("err = %v, want ErrInvalidArguments", err)
			}
			return
		}
		s, err := w.Subscribe(world.Filter{Area: &a})
		if err != nil {
			t.Fatalf("Subscribe to %+v: %v", a, err)
		}
		s.Close()
		if !a.Contains(&a.Center) {
			t.Errorf("%+v does not contain its centre", a)
		}
		text, err := json.Marshal(a)
		must(t, "Marshal", err)
		if again, err := world.ParseArea(text); err != nil || again != a {
			t.Errorf("%s is read as %+v, %v; want %+v", text, again, err, a)
		}
	})
}

package memorytool_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/memorytool"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// days is a calendar on day nine that understands "yesterday".
type days struct{}

func (days) Today() memory.Date { return memory.Date{Day: 9, Text: "9 Reed"} }
func (days) Write(day int64) string {
	return map[int64]string{8: "8 Reed"}[day]
}
func (days) Find(q string) (memory.Days, string, bool) {
	return memory.Days{First: 8, Last: 8}, "", q == "yesterday"
}

// TestFactsFollowEachOther has a fact resolve an earlier one, and finds both with their
// times.
func TestFactsFollowEachOther(t *testing.T) {
	s := open(t, nil)
	tale(t, s)
	all := memorytool.NewTools(s, s, s, days{})
	note := func(args string) { call[any](t, t.Context(), tool(t, all, "remember_fact"), args) }
	note(`{"text":"Bartok brews the ale of the flagon.","about":"bartok","settles":"trade"}`)
	note(`{"text":"Bartok has given up the ale of the flagon.","about":"Bartok","settles":"Trade","since":"yesterday"}`)
	note(`{"text":"Bartok has a cellar of ale.","about":"bartok","settles":"cellar"}`)
	found := call[memorytool.FoundFacts](t, t.Context(), tool(t, all, "search_facts"), `{"query":"Bartok brews ale of the flagon"}`)
	var order []string
	for _, f := range found.Facts {
		switch {
		case strings.Contains(f.Text, "given up"):
			order = append(order, "new")
			if f.Superseded != nil || f.Since != "8 Reed" || f.Date != "9 Reed" || f.At == nil {
				t.Errorf("what stands = %+v, want it said on 9 Reed and true since 8 Reed", f)
			}
		case strings.Contains(f.Text, "brews"):
			order = append(order, "old")
			if f.Superseded == nil || f.Until != "8 Reed" {
				t.Errorf("what was = %+v, want it superseded, until 8 Reed", f)
			}
		case strings.Contains(f.Text, "cellar") && f.Superseded != nil:
			t.Errorf("%+v, want it to stand", f)
		}
	}
	if strings.Join(order, " ") != "new old" {
		t.Errorf("found %q, want what stands before what was", order)
	}
	x := tool(t, all, "remember_fact")
	if _, err := x.Handler(t.Context(), `{"text":"x","since":"some day"}`); !errors.Is(err, mcp.ErrInvalidArguments) || !strings.Contains(err.Error(), "some day") {
		t.Errorf("a day that is none: %v", err)
	}
	x = tool(t, memorytool.NewTools(s, s, s), "remember_fact")
	if _, err := x.Handler(t.Context(), `{"text":"x","since":"yesterday"}`); !errors.Is(err, mcp.ErrInvalidArguments) || !strings.Contains(err.Error(), "calendar") {
		t.Errorf("without a calendar: %v", err)
	}
}

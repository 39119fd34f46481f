package mcphost

import (
	"strings"
	"testing"
)

func TestNamesAreSafeForModels(t *testing.T) {
	long := strings.Repeat("x", 80)
	for _, row := range []struct{ name, want string }{
		{"echo", "echo"},
		{"get-weather_2", "get-weather_2"},
		{"skill:roll", "skill_roll_"},
		{"", "_"},
		{long, strings.Repeat("x", 55) + "_"},
		{"würfeln", "w_rfeln_"},
	} {
		got := safeName(row.name)
		if !strings.HasPrefix(got, row.want) || len(got) > maxName || !validName(got) || got == "" {
			t.Errorf("safeName(%q) = %q, want it to begin with %q and be valid", row.name, got, row.want)
		}
		if again := safeName(row.name); again != got {
			t.Errorf("safeName(%q) = %q, then %q", row.name, got, again)
		}
	}
	if safeName("a:b") == safeName("a.b") {
		t.Error("two names became one")
	}
	used := map[string]bool{"roll": true}
	taken := func(name string) bool { return used[name] }
	if got := freeName("dice", "roll", taken); got != "dice_roll" {
		t.Errorf("freeName = %q, want dice_roll", got)
	}
	used["dice_roll"] = true
	if got := freeName("dice", "roll", taken); !strings.HasPrefix(got, "dice_roll_") {
		t.Errorf("freeName = %q, want a hash behind dice_roll", got)
	}
}

func TestToolsKeepTheirNames(t *testing.T) {
	r := newNameTable()
	builtin := func(name string) bool { return name == "roll" }
	for _, row := range []struct{ server, tool, want string }{
		{"b", "search", "search"}, // b connected first
		{"a", "search", "a_search"},
		{"b", "search", "search"},
		{"a", "roll", "a_roll"},
		{"a", "search", "a_search"},
	} {
		if got := r.nameOf(row.server, row.tool, builtin); got != row.want {
			t.Errorf("name of %s/%s = %q, want %q", row.server, row.tool, got, row.want)
		}
	}
	again := newNameTable() // a restart, with a first
	for who, name := range r.byOwner {
		again.assign(who, name)
	}
	if got := again.nameOf("a", "search", builtin); got != "a_search" {
		t.Errorf("after a restart a's search is %q, want a_search", got)
	}
	everything := func(name string) bool { return name == "roll" || name == "search" }
	if got := again.nameOf("b", "search", everything); got != "b_search" {
		t.Errorf("b's search beside a new built-in = %q, want b_search", got)
	}
}

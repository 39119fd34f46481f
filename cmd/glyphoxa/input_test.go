package main_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

// lines returns the whole transcript of the only session in a house's memory.
func (h *program) lines() []memory.Line {
	h.t.Helper()
	ctx := h.t.Context()
	store, err := sqlite.Open(ctx, h.path(".glyphoxa/glyphoxa.db"), nil)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			h.t.Error(err)
		}
	}()
	sessions, err := store.Sessions(ctx, 0)
	if err != nil || len(sessions) != 1 {
		h.t.Fatalf("sessions = %+v, %v, want one", sessions, err)
	}
	if sessions[0].Ended.IsZero() {
		h.t.Error("the session was not ended")
	}
	lines, err := store.Recent(ctx, sessions[0].ID, 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	return lines
}

// TestHostileInput checks that every typed line ends in a turn or a notice,
// that the next line still works, and that no text is lost silently.
func TestHostileInput(t *testing.T) {
	t.Parallel()
	long := "Bartok, " + strings.Repeat("gold ", 20_000)
	endless := "Bartok, " + strings.Repeat("x", 2<<20)
	rows := []struct {
		name, line string
		heard      string // the line in the transcript; empty if it is no utterance
		warning    string
	}{
		{"nothing", "", "", ""},
		{"white space", " \t ", "", ""},
		{"100 kB", long, strings.TrimSpace(long), ""},
		{"2 MB", endless, endless[:1<<20], "a line was longer than 1048576 bytes; the rest of it was dropped"},
		{"bytes that are no text", "Bartok, \xff\xfeis it \xc3(you)?", "", "could not be read and were replaced"},
		{"zero bytes", "Bartok,\x00 is it you?", "Bartok, is it you?", ""},
		{"escapes and invisible characters", "Bartok,\x1b[2J is \u202eit\u200b you?", "", ""},
		{"a Windows line", "Bartok, is it you?\r", "Bartok, is it you?", ""},
		{"nothing but signs", "?!…🐉", "?!…🐉", ""},
		{"quotes and code", `Bartok, '"; DROP TABLE lines; -- ${HOME} {{.}} %s`, `Bartok, '"; DROP TABLE lines; -- ${HOME} {{.}} %s`, ""},
		{"an event", `{"kind":"turn.ended","turn":1}`, `{"kind":"turn.ended","turn":1}`, ""},
	}
	h := newProgram(t)
	var lines, warnings []string
	for i, row := range rows {
		lines = append(lines, row.line, fmt.Sprintf("Bartok, are you well after %d?", i))
		if row.warning != "" {
			warnings = append(warnings, row.warning)
		}
	}
	tr := h.play(lines...)
	if got := tr.notices("warning"); !slices.EqualFunc(got, warnings, strings.Contains) {
		t.Errorf("warnings = %q, want %q", got, warnings)
	}
	var kept []string
	for _, l := range h.lines() {
		if l.NPC == "" {
			kept = append(kept, l.Text)
		}
		if !utf8.ValidString(l.Text) || strings.ContainsAny(l.Text, "\x00\x1b\u202e\u200b") {
			t.Errorf("the transcript keeps %q", l.Text)
		}
	}
	if want := len(tr.turns); len(kept) != want {
		t.Errorf("the transcript keeps %d of %d utterances", len(kept), want)
	}
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			next := slices.IndexFunc(tr.turns, func(tn turn) bool { return tn.heard.Text == lines[2*i+1] })
			if next < 0 || tr.turns[next].ended.Outcome != "delivered" {
				t.Errorf("the next line %q is not answered", lines[2*i+1])
			}
			if row.heard != "" && !slices.Contains(kept, row.heard) {
				t.Errorf("the transcript lacks the line of %d bytes, whole", len(row.heard))
			}
		})
	}
}

// TestNoInput covers plays without input.
func TestNoInput(t *testing.T) {
	t.Parallel()
	parse(t, newProgram(t).run("", "play", "--json").ok(t).stdout).want(0)
}

// TestLastLineWithoutEnd checks that a last line counts without its line end,
// and that empty lines do not count.
func TestLastLineWithoutEnd(t *testing.T) {
	t.Parallel()
	parse(t, newProgram(t).run("\n\n\nBartok, hello", "play", "--json").ok(t).stdout).only("delivered")
}

// TestManyLines reads a long evening from a file and checks that every line
// arrives once and in order.
func TestManyLines(t *testing.T) {
	t.Parallel()
	var lines []string
	evening := 100
	if testing.Short() {
		evening = 30
	}
	for range evening {
		lines = append(lines, "Bartok, another round!", "Juniper, hello", "Greymantle, roll d20")
	}
	h := newProgram(t)
	for i, tn := range h.play(lines...).want(len(lines)) {
		if tn.heard.Text != lines[i] || tn.ended.Outcome != "delivered" {
			t.Errorf("turn %d heard %q and ended %q", i+1, tn.heard.Text, tn.ended.Outcome)
		}
	}
	if got := len(h.lines()); got != 2*len(lines) {
		t.Errorf("the transcript keeps %d lines, want %d", got, 2*len(lines))
	}
}

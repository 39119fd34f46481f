package terminal

import (
	"slices"
	"strings"
	"testing"
)

// TestComplete checks the suggestions for Tab at the end of the input.
func TestComplete(t *testing.T) {
	names := []string{"Bartok the Barkeep", "Bartok", "Captain Harrow", "Évariste", "Bär"}
	for _, row := range []struct {
		typed, kept string
		want        []string
	}{
		{"/ra", "", []string{"/raise "}},
		{"/un", "", []string{"/unmute ", "/unsay ", "/undo "}},
		{"/raise cap", "/raise ", []string{"Captain Harrow "}},
		{"/raise captain h", "/raise ", []string{"Captain Harrow "}},
		{"/raise Captain Harrow de", "/raise Captain Harrow ", []string{"deep"}},
		{"/raise Captain Harrow ", "/raise Captain Harrow ", []string{"standard", "deep"}},
		{"/mute a", "/mute ", []string{"all "}},
		{"/direct a", "/direct a", nil},
		{"/listening e", "/listening ", []string{"eager"}},
		{"/help ra", "/help ", []string{"raise"}},
		{"/dance Bart", "/dance ", []string{"Bartok the Barkeep", "Bartok"}},
		{"bar", "", []string{"Bartok the Barkeep, ", "Bartok, "}},
		{"Ana: cap", "Ana: ", []string{"Captain Harrow"}},
		{"I saw Captain H", "I saw ", []string{"Captain Harrow"}},
		{"É", "", []string{"Évariste, "}},
		{"bÄ", "", []string{"Bär, "}},
		{"", "", nil},
		{"hello ", "hello ", nil},
		{"xyz", "xyz", nil},
	} {
		t.Run(row.typed, func(t *testing.T) {
			from, got := complete(row.typed, names)
			if !slices.Equal(got, row.want) || len(got) > 0 && row.typed[:from] != row.kept {
				t.Errorf("complete(%q) = %q behind %q, want %q behind %q", row.typed, got, row.typed[:from], row.want, row.kept)
			}
		})
	}
}

// FuzzComplete checks that each suggestion continues the end of any input.
func FuzzComplete(f *testing.F) {
	f.Add("/raise Bar", "Bartok")
	f.Add("ä /", "Äö")
	f.Fuzz(func(t *testing.T, typed, name string) {
		if from, all := complete(typed, []string{name}); from < 0 || from > len(typed) || slices.Contains(all, "") {
			t.Errorf("complete(%q) = %d, %q", typed, from, all)
		}
	})
}

// TestEveryOrderIsExplained checks that help explains each order, including its arguments.
func TestEveryOrderIsExplained(t *testing.T) {
	p := &console{screen: newScreen(nil, false, false)}
	eachOrder(func(o order) bool {
		said, err := p.explain("/help", strings.TrimPrefix(o.word, "/"))
		if err != nil || !strings.HasPrefix(said, o.word) {
			t.Errorf("/help %s says %q, %v", o.word, said, err)
		}
		if o.args == "" != (o.more == "") {
			t.Errorf("%s takes %q, and help says of it %q: say how, or take nothing", o.word, o.args, o.more)
		}
		return true
	})
	if _, err := p.explain("/help", "riase"); err == nil || !strings.Contains(err.Error(), "did you mean /raise?") {
		t.Errorf("a mistyped order is answered by %v", err)
	}
}

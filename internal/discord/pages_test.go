package discord

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestListsAreWhole turns all pages of a list with its buttons: every entry is whole on one
// page, and each page is one message.
func TestListsAreWhole(t *testing.T) {
	var lines []string
	for n := range 39 {
		lines = append(lines, fmt.Sprintf("- **Entity %d**: %s.", n, strings.Repeat("öde ", 60)))
	}
	var got []string
	c := &call{}
	for turns := 0; ; turns++ {
		c.buttons = nil
		text, err := c.showPage("entity list", "o", lines, "none")
		if err != nil || len([]rune(text)) > maxMessage || turns > 39 {
			t.Fatalf("page %d has %d characters (%v)", turns, len([]rune(text)), err)
		}
		shown := strings.Split(text, "\n")
		got = append(got, shown[:len(shown)-1]...)
		i := slices.IndexFunc(c.buttons, func(b button) bool { return b.label == PageOn.In(English) })
		if i < 0 {
			break
		}
		c.pressed = strings.TrimPrefix(c.buttons[i].does, "entity list ")
		if _, query := c.turnedPage(); query != "o" {
			t.Fatalf("page %d is asked for %q, want what the list was asked for", turns+2, query)
		}
	}
	if !slices.Equal(got, lines) {
		t.Errorf("%d entries on all pages, want %d as they are", len(got), len(lines))
	}
}

func TestShortListsHaveNoPages(t *testing.T) {
	c := &call{}
	if text, _ := c.showPage("tools list", "", nil, "none"); text != "none" || len(c.buttons) > 0 {
		t.Errorf("an empty list is %q with %d buttons", text, len(c.buttons))
	}
	if text, _ := c.showPage("tools list", "", []string{"a", "b"}, "none"); text != "a\nb" || len(c.buttons) > 0 {
		t.Errorf("a short list is %q with %d buttons", text, len(c.buttons))
	}
}

// TestAListBeginsWhereItIsOfUse checks that a recap opens at its end, and that old buttons work
// after the list has become shorter.
func TestAListBeginsWhereItIsOfUse(t *testing.T) {
	lines := slices.Repeat([]string{strings.Repeat("x", maxLine)}, 10)
	c := &call{lang: German}
	text, _ := c.showLastPage("session recap", lines, "")
	if !strings.HasSuffix(text, "-# Seite 4 von 4, insgesamt 10") || len(c.buttons) != 1 || c.buttons[0].does != "session recap page 3" {
		t.Errorf("it begins with %q and %+v", text[len(text)-40:], c.buttons)
	}
	c = &call{pressed: "page 9 " + strings.Repeat("ä", 80)}
	if text, _ := c.showPage("entity list", strings.Repeat("ä", 80), lines[:4], ""); !strings.HasSuffix(text, "-# page 2 of 2, 4 in total") || len([]rune(c.buttons[0].does)) > 100 {
		t.Errorf("a page that is gone is %q with %+v", text[len(text)-40:], c.buttons)
	}
}

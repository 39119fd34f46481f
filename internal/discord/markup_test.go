package discord

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestMentioned(t *testing.T) {
	names := func(kind byte, id string) string {
		return map[string]string{"@1": "Ana", "&2": "Heroes", "#3": "tavern"}[string(kind)+id]
	}
	tests := []struct{ name, in, want string }{
		{"user", "<@1> and I go in", "Ana and I go in"},
		{"user_by_nick", "hail <@!1>", "hail Ana"},
		{"role", "<@&2>, run", "Heroes, run"},
		{"channel", "meet in <#3>", "meet in tavern"},
		{"emoji", "well <:smile:123456> <a:wave:99>", "well smile wave"},
		{"unknown_is_left_out", "ask <@77> about it", "ask  about it"},
		{"no_mention", "1 <2 and 3> 2, a@b.c", "1 <2 and 3> 2, a@b.c"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := replaceMentions(test.in, names); got != test.want {
				t.Errorf("mentioned(%q) = %q, want %q", test.in, got, test.want)
			}
		})
	}
}

func TestUnplaced(t *testing.T) {
	for _, row := range []struct{ name, in, want string }{
		{"a program", "fork/exec /usr/local/bin/dice: no such file or directory", "fork/exec …/dice: no such file or directory"},
		{"a file in quotes", `open "/home/me/notes.db": denied`, `open "…/notes.db": denied`},
		{"an option", "--config=/etc/dice.json (/etc/x/y)", "--config=…/dice.json (…/y)"},
		{"on Windows", `open C:\Users\me\glyphoxa.db: denied`, "open …/glyphoxa.db: denied"},
		{"a command", "/session start begins; see /npc list", "/session start begins; see /npc list"},
		{"an address", "see https://discord.com/developers/applications", "see https://discord.com/developers/applications"},
		{"beside the configuration", "npcs/bartok.yaml:3: a number", "npcs/bartok.yaml:3: a number"},
		{"and/or", "and/or 2/3/4", "and/or 2/3/4"},
	} {
		if got := shortenPaths(row.in); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

func TestSplit(t *testing.T) {
	tests := []struct {
		name, in string
		most     int
		want     []string
	}{
		{"short", " Hello there. ", 20, []string{"Hello there."}},
		{"empty", "  ", 20, nil},
		{"after_a_sentence", "One two three. Four five six.", 20, []string{"One two three.", "Four five six."}},
		{"after_a_quoted_sentence", `"One two three!" Four five six.`, 20, []string{`"One two three!"`, "Four five six."}},
		{"after_a_word_where_sentences_are_short", "No. Then a very long sentence without an end", 20, []string{"No. Then a very", "long sentence", "without an end"}},
		{"anywhere_without_words", "abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"counts_characters_not_bytes", "äöüäöü", 6, []string{"äöüäöü"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := splitMessage(test.in, test.most)
			if strings.Join(got, "|") != strings.Join(test.want, "|") {
				t.Errorf("split(%q, %d) = %q, want %q", test.in, test.most, got, test.want)
			}
		})
	}
}

// TestSplitLongText takes too long if the splitter scans the whole text for each piece.
func TestSplitLongText(t *testing.T) {
	const words = 8 << 20
	if got := splitMessage(strings.Repeat("ab ", words), 2000); len(got) < words*3/2000 {
		t.Errorf("%d pieces, want the whole text", len(got))
	}
}

func TestSplitKeepsEverything(t *testing.T) {
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-zäö]{1,12}[.!?,]?[ \n]{0,2}){0,40}`).Draw(t, "text")
		most := rapid.IntRange(1, 30).Draw(t, "most")
		parts := splitMessage(text, most)
		for _, p := range parts {
			if n := utf8.RuneCountInString(p); n == 0 || n > most {
				t.Fatalf("split(%q, %d) has a part of %d characters: %q", text, most, n, p)
			}
		}
		if got, want := squeeze(strings.Join(parts, "")), squeeze(text); got != want {
			t.Fatalf("split(%q, %d) kept %q, want %q", text, most, got, want)
		}
	})
}

func TestWebhookName(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "Bartok the Barkeep", "Bartok the Barkeep"},
		{"forbidden_words", "Clyde of Discordia", "Cl-yde of Di-scordia"},
		{"too_long", strings.Repeat("ä", 90), strings.Repeat("ä", 80)},
		{"empty", " \n", "NPC"},
		{"white_space", "  Old\n Ted ", "Old Ted"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := nameOnWebhook(test.in); got != test.want {
				t.Errorf("webhookName(%q) = %q, want %q", test.in, got, test.want)
			}
		})
	}
}

// TestLinksSayWhereTheyLead checks that no link in an NPC's line or in a name shows a text
// other than its address.
func TestLinksSayWhereTheyLead(t *testing.T) {
	for text, want := range map[string]string{
		"See [the map](https://evil.example).": "See [the map]\u200b(https://evil.example).",
		"See [the map] (https://evil.example)": "See [the map]\u200b (https://evil.example)",
		"https://example.com and (so on)":      "https://example.com and (so on)",
	} {
		if got := showAddresses(text); got != want {
			t.Errorf("ShowAddresses(%q) = %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"[Bartok](https://evil.example)":  `\[Bartok](https://evil.example)`,
		`\[Bartok](https://evil.example)`: `\\\[Bartok](https://evil.example)`,
		`\*Bartok\*`:                      `\\\*Bartok\\\*`,
	} {
		if got := escapeMarkup(text); got != want {
			t.Errorf("Escape(%q) = %q, want %q", text, got, want)
		}
	}
}

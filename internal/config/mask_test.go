package config_test

import (
	"strings"
	"testing"

	"github.com/MrWong99/glyphoxa/internal/config"
)

func TestSecretsAndPathsAreTakenOut(t *testing.T) {
	own, err := config.NewMasker(`\bguild-\d+\b`)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ name, text, want string }{
		{"password", "db password=hunter2 at host", "db password=[masked] at host"},
		{"quoted", `password = "hunter2", user=bob`, `password = "[masked]", user=bob`},
		{"name within a name", "DB_PASSWORD=hunter2&x=1", "DB_PASSWORD=[masked]&x=1"},
		{"name of two words", `{"dbPassword":"hunter2"} apiToken=x`, `{"dbPassword":"[masked]"} apiToken=[masked]`},
		{"colon", "api_key: abc123; next", "api_key: [masked]; next"},
		{"JSON", `{"token":"a\"b","n":1}`, `{"token":"[masked]","n":1}`},
		{"JSON within JSON", `"{\"apiKey\":\"abc\",\"n\":1}"`, `"{\"apiKey\":\"[masked]\",\"n\":1}"`},
		{"query", "GET https://x.example/a?token=abc&page=2", "GET https://x.example/a?token=[masked]&page=2"},
		{"header", "Authorization: Bearer abcdefgh.ijk", "Authorization: Bearer [masked]"},
		{"user in an address", "dial postgres://bob:hunter2@db/x", "dial postgres://bob:[masked]@db/x"},
		{"vendor's key", "key sk-proj-0123456789abcdef refused", "key [masked] refused"},
		{"signed token", "got eyJhbGciOiJI.eyJzdWIiOiIx.sig", "got [masked]"},
		{"private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- end", "[masked] end"},
		{"path", "open /home/alice/notes.txt: permission denied", "open [path]: permission denied"},
		{"path in a trace", `File "/opt/app/server.py", line 3`, `File "[path]", line 3`},
		{"path at the end", "no such file: /tmp/x", "no such file: [path]"},
		{"address of a file", "see file:///srv/a/b", "see [path]"},
		{"home", "~/.ssh/id_rsa is missing", "[path] is missing"},
		{"Windows", `open C:\Users\alice\x.txt: denied`, `open [path]: denied`},
		{"own", "in guild-42 nothing", "in [masked] nothing"},
		{"prose", "Secret: the mayor is a wolf. The token: a coin. Key points: 1/2 and/or both", "Secret: the mayor is a wolf. The token: a coin. Key points: 1/2 and/or both"},
		{"page", "see https://example.com/home/alice for more", "see https://example.com/home/alice for more"},
		{"monkey", "monkey=3", "monkey=3"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := own.Text(row.text); got != row.want {
				t.Errorf("Text(%s)\n got %s\nwant %s", row.text, got, row.want)
			}
		})
	}
}

func TestNoMaskerStillMasks(t *testing.T) {
	if got := (*config.Masker)(nil).Text("pwd=x"); got != "pwd=[masked]" {
		t.Errorf("Text = %q, want the password masked", got)
	}
}

func TestPatternsThatCannotBeUsedAreRefused(t *testing.T) {
	for name, pattern := range map[string]string{
		"broken": "(", "matches nothing": "x*", "too long": strings.Repeat("x", config.MaxPattern+1), "explodes": "((a{1000}){1000}){1000}",
	} {
		if config.CheckMasks(pattern) == nil {
			t.Errorf("%s: Check accepts it", name)
		}
	}
	if _, err := config.NewMasker(make([]string, config.MaxPatterns+1)...); err == nil {
		t.Error("New takes more patterns than allowed")
	}
}

// FuzzText checks that a password is masked whatever precedes it, and that no text grows much.
func FuzzText(f *testing.F) {
	f.Add(`{"password":"x"} token=abc /home/a/b C:\a\b bearer abcdefghijk`)
	f.Add(strings.Repeat(`\"key\":\"`, 50))
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			return
		}
		masked := (*config.Masker)(nil).Text(text + " password=hunter2")
		if strings.Contains(masked, "hunter2") {
			t.Errorf("the password is left in %q", masked)
		}
		if len(masked) > 8*len(text)+64 {
			t.Errorf("%d bytes became %d", len(text), len(masked))
		}
	})
}

func BenchmarkText(b *testing.B) {
	text := strings.Repeat("The server could not open its file, and says so at length, again and again: x=1. ", 256)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		(*config.Masker)(nil).Text(text)
	}
}

func TestSecretsLeavesWhatWasAskedFor(t *testing.T) {
	for text, want := range map[string]string{
		"password=hunter2 in /home/alice/db.yaml":     "password=[masked] in /home/alice/db.yaml",
		`{"api_key": "abcdef", "key": "C major"}`:     `{"api_key": "[masked]", "key": "C major"}`,
		"Authorization: BEARER abcdefgh12345":         "Authorization: BEARER [masked]",
		"key=value; see https://bob:pw@example.com/x": "key=value; see https://bob:[masked]@example.com/x",
		"AKIAABCDEFGHIJKLMNOP and desk_lamp":          "[masked] and desk_lamp",
		"a token of gratitude: the golden key":        "a token of gratitude: the golden key",
	} {
		if got := (*config.Masker)(nil).Secrets(text); got != want {
			t.Errorf("Secrets(%q) = %q, want %q", text, got, want)
		}
	}
	own, err := config.NewMasker("Vecna")
	if err != nil {
		t.Fatal(err)
	}
	if got := own.Secrets("it was Vecna"); got != "it was [masked]" {
		t.Errorf("an own pattern leaves %q", got)
	}
}

func BenchmarkSecrets(b *testing.B) {
	for name, text := range map[string]string{"100": prose[:100], "20000": strings.Repeat(prose, 20000/len(prose)+1)[:20000]} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if (*config.Masker)(nil).Secrets(text) != text {
					b.Fatal("it is masked")
				}
			}
		})
	}
}

// prose is typical text in a tool's answer.
const prose = "The old bell hangs in the tower of the chapel: nobody has rung it since the flood. Ask Mira, at the inn (two doors on), " +
	"who keeps its rope; she likes to be paid in stories, https://example.com/bell has the picture. "

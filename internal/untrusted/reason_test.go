package untrusted_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
)

func TestReason(t *testing.T) {
	const key = "sk-proj-Abc+/=defghijklmnop0123456789"
	for _, row := range []struct{ name, in, want string }{
		{"nothing_to_hide", "the model qwen3:8b is not found", "the model qwen3:8b is not found"},
		{"nothing", " \n", ""},
		{"lines_and_escapes", "one\n\x1b[31mtwo\t three", "one two three"},
		{"whole", "wrong key " + key + "!", "wrong key [redacted]!"},
		{"in_an_address", "GET /?key=sk-proj-Abc%2B%2F%3Ddefghijklmnop0123456789", "GET /?key=[redacted]"},
		{"its_ends", "wrong key sk-pro…456789", "wrong key [redacted]…[redacted]"},
		{"masked", "wrong key sk-proj-********6789.", "wrong key [redacted]."},
		{"another_key", "bad key sk-SECRETSECRET", "bad key [redacted]"},
		{"another_vendors", "gsk_abcdefgh, AIzaSyA0123456789abcdefghij", "[redacted], [redacted]"},
		{"hexadecimal", "key 0123456789abcdef0123456789abcdef", "key [redacted]"},
		{"token", "Bearer abcdefghijklmnopqrstu expired", "[redacted] expired"},
		{"jwt", "token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "token [redacted]"},
		{"words_like_keys", "task-based asks: bearer token missing, request 5f2c-11", "task-based asks: bearer token missing, request 5f2c-11"},
		{"split_by_an_escape", "sk-SECRET\x1b[0mSECRET", "[redacted]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := untrusted.Reason(row.in, key, 200); got != row.want {
				t.Errorf("Reason(%q) = %q, want %q", row.in, got, row.want)
			}
		})
	}
}

// TestReasonNeverShowsTheKey puts any key into any text: the result is one short line
// without the key.
func TestReasonNeverShowsTheKey(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		key := rapid.StringMatching(`[A-Za-z0-9+/=_.-]{12,60}`).Draw(r, "key")
		if untrusted.IsDummyKey(key) {
			r.Skip("a dummy key stays")
		}
		most := rapid.IntRange(1, 300).Draw(r, "most")
		text := rapid.String().Draw(r, "before") + key + rapid.String().Draw(r, "after")
		got := untrusted.Reason(text, key, most)
		if strings.Contains(got, key) || strings.ContainsAny(got, "\n\r\t") || utf8.RuneCountInString(got) > most {
			r.Fatalf("Reason(%q, %q, %d) = %q", text, key, most, got)
		}
	})
}

func TestDummyKeysAreNotSecret(t *testing.T) {
	for _, row := range []struct {
		name, key string
		dummy     bool
	}{
		{"a letter", "x", true},
		{"a program", "ollama", true},
		{"two words", "lm-studio", true},
		{"says that there is none", "no-key-required", true},
		{"with the prefix of a vendor", "sk-not-needed", true},
		{"in capitals", "EMPTY-KEY", true},
		{"one character", "xxxxxxxx", true},
		{"digits in order", "12345678", true},
		{"hexadecimal", "3f9a7c21", false},
		{"a password", "hunter2hunter2", false},
		{"a key of a vendor", "sk-proj-9vTq3LwX", false},
		{"a word and a number", "test-4711", false},
		{"signs only", "--__--==", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := untrusted.IsDummyKey(row.key); got != row.dummy {
				t.Errorf("IsDummyKey(%q) = %v, want %v", row.key, got, row.dummy)
			}
		})
	}
	if got := untrusted.Reason("ollama has no model ollama-x", "ollama", 100); got != "ollama has no model ollama-x" {
		t.Errorf("Reason = %q, want it unchanged", got)
	}
}

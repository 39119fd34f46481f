package access_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
)

func TestTextIsCleanAndBounded(t *testing.T) {
	rows := []struct {
		name   string
		record access.LogRecord
		args   string
		want   access.LogRecord
	}{
		{name: "escapes", record: access.LogRecord{Who: "a\x1b[31mda", Tool: "ro\u202ell", Error: "bad\x00 dice"}, want: access.LogRecord{Who: "ada", Tool: "roll", Error: "bad dice"}},
		{name: "broken_utf8", record: access.LogRecord{Tool: "x\xff"}, want: access.LogRecord{Tool: "x\ufffd"}},
		{name: "long_name", record: access.LogRecord{Tool: strings.Repeat("ü", 1<<20)}, want: access.LogRecord{Tool: strings.Repeat("ü", 199) + "…"}},
		{name: "long_error", record: access.LogRecord{Error: strings.Repeat("é", 1<<20)}, want: access.LogRecord{Error: strings.Repeat("é", 999) + "…"}},
		{name: "args", args: `{"text":"Grüße"}`, want: access.LogRecord{Args: `{"text":"Grüße"}`}},
		{name: "args_with_escapes", args: "{\"text\":\"\u009b31mred\"}", want: access.LogRecord{Args: `{"text":"red"}`}},
		{name: "long_args", args: `"` + strings.Repeat("ü", 3000) + `"`, want: access.LogRecord{Args: `"` + strings.Repeat("ü", 2046) + "…"}},
		{name: "huge_args", args: `"` + strings.Repeat("ü", 30_000) + `"`, want: access.LogRecord{Args: `"` + strings.Repeat("ü", 2046) + "…"}},
		{name: "given_fields_of_the_log", record: access.LogRecord{ID: 77, Args: "forged", ArgsHash: "forged"}, args: `{}`, want: access.LogRecord{Args: `{}`}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			l := open(t, filepath.Join(t.TempDir(), "audit.db"), access.LogOptions{Arguments: true})
			start := time.Now().Truncate(time.Microsecond)
			l.Add(row.record, row.args)
			got := all(t, l, access.LogQuery{})[0]
			if got.At.Before(start) || got.At.After(time.Now()) || got.ID != 1 {
				t.Errorf("record %d at %v, want 1 and now", got.ID, got.At)
			}
			if len(got.Args) > 4096 {
				t.Errorf("%d bytes of arguments kept, want at most 4096", len(got.Args))
			}
			row.want.ID, row.want.At, row.want.ArgsHash = 1, got.At, access.HashArguments(row.args)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("record (-want +got):\n%s", diff)
			}
		})
	}
}

func TestArgumentsAreKeptOnlyIfAsked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	l := open(t, path, access.LogOptions{})
	l.Add(sample(), `{"password":"hunter2"}`)
	l.Add(sample(), `{"password":"`+strings.Repeat("hunter2", 10_000)+`"}`)
	for _, r := range all(t, l, access.LogQuery{}) {
		if r.Args != "" || len(r.ArgsHash) != 32 {
			t.Errorf("record = %+v, want a hash and no arguments", r)
		}
	}
}

func TestJSONTellsMilliseconds(t *testing.T) {
	r := access.LogRecord{
		ID: 7, At: time.Date(2027, 1, 31, 20, 0, 0, 0, time.UTC), Who: "ada", Tool: "roll",
		Decision: access.Allowed, Duration: 1500 * time.Microsecond, ArgsHash: "ab", Cached: true,
	}
	out, err := json.Marshal(r)
	must(t, "Marshal", err)
	const want = `{"id":7,"at":"2027-01-31T20:00:00Z","who":"ada","tool":"roll","decision":"allowed","args_hash":"ab","cached":true,"duration_ms":1.5}`
	if string(out) != want {
		t.Errorf("JSON = %s, want %s", out, want)
	}
	var back access.LogRecord
	must(t, "Unmarshal", json.Unmarshal(out, &back))
	if diff := cmp.Diff(r, back); diff != "" {
		t.Errorf("after a round trip (-want +got):\n%s", diff)
	}
	if err := json.Unmarshal([]byte(`{"duration_ms":"x"}`), &back); err == nil {
		t.Error("a duration that is no number was read")
	}
}

var hashRows = []struct {
	name, a, b string
	same       bool
}{
	{name: "white_space", a: `{"a":1,"b":[1,2]}`, b: "{ \"a\" : 1,\n\"b\":[ 1, 2 ] }", same: true},
	{name: "order_of_keys", a: `{"a":1,"b":{"c":2,"d":3}}`, b: `{"b":{"d":3,"c":2},"a":1}`, same: true},
	{name: "escapes", a: `{"a":"<é>"}`, b: `{"a":"\u003c\u00e9>"}`, same: true},
	{name: "blank_is_empty_object", a: " \n", b: `{}`, same: true},
	{name: "order_of_items", a: `[1,2]`, b: `[2,1]`},
	{name: "large_numbers", a: `{"n":9007199254740993}`, b: `{"n":9007199254740992}`},
	{name: "text_or_number", a: `{"n":"1"}`, b: `{"n":1}`},
	{name: "null_or_missing", a: `{"n":null}`, b: `{}`},
	{name: "no_json", a: `{"a":`, b: `{"a"`},
	{name: "trailing", a: `{} {}`, b: `{}`},
	{name: "deep", a: strings.Repeat("[", 20_000), b: strings.Repeat("[", 20_001)},
}

func TestHash(t *testing.T) {
	for _, row := range hashRows {
		t.Run(row.name, func(t *testing.T) {
			a, b := access.HashArguments(row.a), access.HashArguments(row.b)
			if (a == b) != row.same || len(a) != 32 {
				t.Errorf("hashes are %s and %s, want them to be the same: %v", a, b, row.same)
			}
		})
	}
}

// FuzzHash checks that indentation and re-encoding do not change a hash.
func FuzzHash(f *testing.F) {
	for _, row := range hashRows {
		f.Add(row.a)
		f.Add(row.b)
	}
	f.Fuzz(func(t *testing.T, args string) {
		want := access.HashArguments(args)
		if !json.Valid([]byte(args)) {
			return
		}
		var v any
		d := json.NewDecoder(strings.NewReader(args))
		d.UseNumber()
		must(t, "Decode", d.Decode(&v))
		indented, err := json.MarshalIndent(v, " ", "\t")
		must(t, "MarshalIndent", err)
		if got := access.HashArguments(string(indented)); got != want {
			t.Errorf("Hash(%q) = %s, of %q %s", args, want, indented, got)
		}
	})
}

// TestHashIgnoresOrder writes the same object with its keys in different orders.
func TestHashIgnoresOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOfN(rapid.StringN(0, 5, 20).Filter(utf8.ValidString), rapid.Int(), 1, 8).Draw(t, "object")
		keys := slices.Sorted(maps.Keys(object))
		write := func(keys []string) string {
			var parts []string
			for _, k := range keys {
				name, _ := json.Marshal(k)
				parts = append(parts, fmt.Sprintf("%s: %d", name, object[k]))
			}
			return "{" + strings.Join(parts, ", ") + "}"
		}
		shuffled := rapid.Permutation(keys).Draw(t, "order")
		if a, b := access.HashArguments(write(keys)), access.HashArguments(write(shuffled)); a != b {
			t.Errorf("%s hashes to %s, %s to %s", write(keys), a, write(shuffled), b)
		}
	})
}

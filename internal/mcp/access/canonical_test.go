package access

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

var canonicalRows = []struct{ name, in, want string }{
	{"keys_in_order", `{"b":1,"a":2}`, `{"a":2,"b":1}`},
	{"inner_keys", `{"x":[{"b":1,"a":2}]}`, `{"x":[{"a":2,"b":1}]}`},
	{"spaces", " { \"a\" : [ 1 , 2 ] }\n", `{"a":[1,2]}`},
	{"numbers_stay", `{"a":1.0,"b":10000000000000000000001}`, `{"a":1.0,"b":10000000000000000000001}`},
	{"escapes", `"\u0041<"`, `"A<"`},
	{"others", `[null,true,false,[],{}]`, `[null,true,false,[],{}]`},
	{"empty", ``, ``},
	{"no_json", `{"a":`, `{"a":`},
	{"key_is_no_text", `{1: 2}`, `{1: 2}`},
	{"value_missing", `{"a": }`, `{"a": }`},
	{"list_unfinished", `[1, [2`, `[1, [2`},
	{"something_behind", `{} {}`, `{} {}`},
	{"key_twice", `{"a":1,"a":2}`, `{"a":1,"a":2}`},
	{"key_twice_by_escape", `{"a":1,"\u0061":2}`, `{"a":1,"\u0061":2}`},
	{"half_a_character", `{"b":1,"a":"\ud800"}`, `{"b":1,"a":"\ud800"}`},
	{"invalid_text", "{\"b\":1,\"a\":\"\xff\"}", "{\"b\":1,\"a\":\"\xff\"}"},
	{"too_deep", strings.Repeat("[ ", 200) + strings.Repeat("]", 200), strings.Repeat("[ ", 200) + strings.Repeat("]", 200)},
}

func TestCanonical(t *testing.T) {
	for _, tt := range canonicalRows {
		t.Run(tt.name, func(t *testing.T) {
			if got := canonical(tt.in); got != tt.want {
				t.Errorf("canonical(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// FuzzCanonical checks that canonical text is stable and keeps its meaning.
func FuzzCanonical(f *testing.F) {
	for _, tt := range canonicalRows {
		f.Add(tt.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := canonical(in)
		if again := canonical(out); again != out {
			t.Errorf("canonical(%q) = %q, and of that %q", in, out, again)
		}
		if !json.Valid([]byte(in)) {
			if out != in {
				t.Errorf("canonical(%q) = %q, though it is no JSON", in, out)
			}
			return
		}
		if got, want := meaning(t, out), meaning(t, in); !reflect.DeepEqual(got, want) {
			t.Errorf("canonical(%q) = %q, which means %v, want %v", in, out, got, want)
		}
	})
}

func meaning(t *testing.T, text string) any {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("decoding %q: %v", text, err)
	}
	return v
}

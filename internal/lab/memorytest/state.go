package memorytest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func testStateIsKeptBySpace(t *testing.T, h Harness) {
	s := h.plain(t)
	must(t, "SaveState", s.SaveState(t.Context(), "a", map[string][]byte{"x": []byte("1"), "y": {0, 255}}))
	must(t, "SaveState", s.SaveState(t.Context(), "b", map[string][]byte{"x": []byte("other")}))
	must(t, "SaveState", s.SaveState(t.Context(), "a", map[string][]byte{"x": nil, "z": []byte("3")}))
	must(t, "SaveState", s.SaveState(t.Context(), "a", nil))
	for space, want := range map[string]map[string][]byte{
		"a":    {"y": {0, 255}, "z": []byte("3")},
		"b":    {"x": []byte("other")},
		"none": {},
	} {
		got, err := s.LoadState(t.Context(), space)
		must(t, "LoadState", err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("space %q (-want +got):\n%s", space, diff)
		}
	}
	must(t, "SaveState", s.SaveState(t.Context(), "b/%", map[string][]byte{"x": []byte("1"), "y": []byte("2")}))
	must(t, "SaveState", s.SaveState(t.Context(), "gone/", map[string][]byte{"x": []byte("1")}))
	must(t, "SaveState", s.SaveState(t.Context(), "gone/", map[string][]byte{"x": nil}))
	for prefix, want := range map[string][]string{"": {"a", "b", "b/%"}, "b": {"b", "b/%"}, "b/": {"b/%"}, "gone/": nil, "%": nil} {
		got, err := s.StateSpaces(t.Context(), prefix)
		must(t, "StateSpaces", err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("spaces beginning with %q (-want +got):\n%s", prefix, diff)
		}
	}
}

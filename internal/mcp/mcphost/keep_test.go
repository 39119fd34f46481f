package mcphost

import "testing"

func TestDamagedLatenciesDoNotStopTheStart(t *testing.T) {
	keeper := newForgetful()
	if err := keeper.SaveState(t.Context(), "tool latency/here", map[string][]byte{"far/a": []byte("not json"), "far/b": []byte("[5,6,7]")}); err != nil {
		t.Fatal(err)
	}
	h := New(WithKeeper(keeper, "here"))
	defer h.Close()
	if err := h.Restore(t.Context()); err != nil {
		t.Error(err)
	}
	if m := h.vitals["far/b"].measure(); m.Successes != 3 {
		t.Errorf("the latency that can be read has %d samples, want 3", m.Successes)
	}
}

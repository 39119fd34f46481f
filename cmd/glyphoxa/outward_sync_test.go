package main_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// state is a message of state sync, on any transport.
type state struct {
	Seq      uint64
	Entities []entity
	Changes  []entity
	Removed  []string
	Scene    *string
	Snapshot bool
	Resumed  bool
}

type entity struct {
	ID, Name string
}

func (s *stream) state(method string) state {
	s.t.Helper()
	var st state
	if err := json.Unmarshal(s.note("notifications/state/"+method), &st); err != nil {
		s.t.Fatal(err)
	}
	return st
}

func has(all []entity, id string) bool {
	for _, e := range all {
		if e.ID == id {
			return true
		}
	}
	return false
}

// TestFollowingTheWorld checks state sync over a WebSocket and over HTTP: a
// snapshot, changes, entities that enter and leave an area, and a resume after
// a disconnect. Only clients with access see restricted facts.
func TestFollowingTheWorld(t *testing.T) {
	t.Parallel()
	h := newProgram(t)
	h.configure("rights.yaml")
	h.set("ANNEX", "http://127.0.0.1:1")
	o := h.serve()
	master, reader := o.socket(secret("dm")).handshake(), o.socket(secret("system.readonly")).handshake()
	place := func(id string, x float64, knownBy ...string) {
		t.Helper()
		args := map[string]any{"id": id, "name": "The " + id, "type": "item", "position": []float64{x, 0, 0}}
		if knownBy != nil {
			args["known_by"] = knownBy
		}
		if res := try(t, master, "place_entity", args); res.code() != "" {
			t.Fatalf("placing %s: %+v", id, res.Meta.Error)
		}
	}
	follow := func(s *stream, params map[string]any) state {
		t.Helper()
		var answer state
		s.ask("state/subscribe", params).into(t, &answer)
		return answer
	}
	place("lamp", 0)
	place("secret", 1, "mira")

	follow(master, map[string]any{})
	if snap := master.state("snapshot"); !has(snap.Entities, "lamp") || !has(snap.Entities, "secret") {
		t.Errorf("the game master's snapshot = %+v", snap)
	}
	follow(reader, map[string]any{})
	if snap := reader.state("snapshot"); !has(snap.Entities, "lamp") || has(snap.Entities, "secret") {
		t.Errorf("the reader's snapshot = %+v, want the lamp alone", snap)
	}
	place("hidden", 1, "mira")
	place("bell", 2)
	first := reader.state("delta")
	if has(first.Changes, "hidden") || !has(first.Changes, "bell") {
		t.Errorf("the reader's delta = %+v, want the bell alone", first)
	}

	t.Run("an area", func(t *testing.T) {
		reader.ask("aoi/declare", map[string]any{"center": []float64{2, 0, 0}, "radius": 1}).into(t, &struct{}{})
		if d := reader.state("delta"); len(d.Removed) != 1 || d.Removed[0] != "lamp" {
			t.Errorf("after the area moved = %+v, want the lamp gone", d)
		}
		try(t, master, "move_entity", map[string]any{"id": "lamp", "position": []float64{2, 0, 0}})
		if d := reader.state("delta"); !has(d.Changes, "lamp") || len(d.Removed) != 0 {
			t.Errorf("after the lamp moved = %+v, want it back", d)
		}
	})
	t.Run("after a break", func(t *testing.T) {
		again := o.in(t).socket(secret("system.readonly")).handshake()
		place("rope", 5)
		answer := follow(again, map[string]any{"since": first.Seq})
		d := again.state("delta")
		if !answer.Resumed || !has(d.Changes, "rope") || has(d.Changes, "bell") {
			t.Errorf("resumed = %+v, then %+v; want only what came after", answer, d)
		}
	})
	t.Run("over HTTP", func(t *testing.T) {
		for name, w := range map[string]*web{
			"in a session": o.in(t).web(secret("system.readonly")).handshake(),
			"newest":       o.in(t).web(secret("system.readonly")).stateless(),
		} {
			var snap, d state
			w.ask("state/subscribe", map[string]any{}).into(t, &snap)
			if !has(snap.Entities, "bell") || has(snap.Entities, "secret") {
				t.Errorf("%s: snapshot = %+v", name, snap)
			}
			id := "coin-" + strings.ReplaceAll(name, " ", "-")
			place(id, 3)
			w.ask("state/poll", map[string]any{"since": snap.Seq, "waitMs": 5000}).into(t, &d)
			if !has(d.Changes, id) || d.Seq <= snap.Seq {
				t.Errorf("%s: poll = %+v, want the coin", name, d)
			}
			if r := w.ask("aoi/declare", map[string]any{"center": []float64{0, 0, 0}, "radius": 1}); r.Error == nil || r.Error.Code != -32602 {
				t.Errorf("%s: declaring an area where nothing can be pushed = %s", name, r.Result)
			}
		}
	})
	t.Run("without the right to", func(t *testing.T) {
		limited := o.in(t).socket(secret("player.limited")).handshake()
		for method, params := range map[string]any{"state/subscribe": map[string]any{}, "state/poll": map[string]any{"since": 0}} {
			if r := limited.ask(method, params); r.Error == nil || r.Error.Code != -32001 || fmt.Sprint(r.Error.Message) == "" {
				t.Errorf("%s = %s %+v, want it forbidden", method, r.Result, r.Error)
			}
		}
	})
}

package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcpserver"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// watcher is a client that keeps a picture of the world by what it is sent.
type watcher struct {
	t    failer
	in   io.WriteCloser
	out  *bufio.Reader
	done chan error
	last int

	seq      uint64
	scene    string
	entities map[string]json.RawMessage
	ended    string // why the feed ended
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// watch connects a client over pipes.
func (h *fixture) watch(t failer, subject *access.Subject) *watcher {
	fromServer, toClient := io.Pipe()
	fromClient, toServer := io.Pipe()
	w := &watcher{t: t, in: toServer, out: bufio.NewReader(fromServer), done: make(chan error, 1), entities: map[string]json.RawMessage{}}
	go func() { // ends when the client leaves, for which leave waits
		w.done <- h.server.Serve(context.Background(), subject, mcpserver.Lines(fromClient, toClient, 0))
	}()
	w.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"watcher","version":"1"}}`)
	w.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return w
}

func (w *watcher) leave() {
	w.t.Helper()
	_ = w.in.Close()
	_, _ = io.Copy(io.Discard, w.out)
	if err := <-w.done; err != nil {
		w.t.Fatalf("Serve = %v", err)
	}
}

func (w *watcher) say(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, line+"\n"); err != nil {
		w.t.Fatalf("saying %s: %v", line, err)
	}
}

// message is anything the server says.
type message struct {
	ID     json.RawMessage
	Method string
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
	Params struct {
		Seq      uint64
		Entities []json.RawMessage
		Changes  []json.RawMessage
		Removed  []string
		Scene    *string
		Reason   string
	}
}

// ask sends a request and returns its answer; what comes before is applied.
func (w *watcher) ask(method, params string) message {
	w.t.Helper()
	w.last++
	w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, w.last, method, params))
	for {
		if m := w.next(); string(m.ID) == strconv.Itoa(w.last) {
			return m
		}
	}
}

// next reads one message and applies it to the picture.
func (w *watcher) next() message {
	w.t.Helper()
	line, err := w.out.ReadBytes('\n')
	if err != nil {
		w.t.Fatalf("reading: %v", err)
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		w.t.Fatalf("%s: %v", line, err)
	}
	switch m.Method {
	case "notifications/state/snapshot":
		clear(w.entities)
		w.apply(m.Params.Entities, nil)
	case "notifications/state/delta":
		if m.Params.Seq <= w.seq && len(m.Params.Changes)+len(m.Params.Removed) == 0 {
			w.t.Fatalf("an empty delta %d after %d", m.Params.Seq, w.seq)
		}
		w.apply(m.Params.Changes, m.Params.Removed)
	case "notifications/state/ended":
		w.ended = m.Params.Reason
		return m
	default:
		return m
	}
	w.seq = m.Params.Seq
	if m.Params.Scene != nil {
		w.scene = *m.Params.Scene
	}
	return m
}

func (w *watcher) apply(changes []json.RawMessage, removed []string) {
	for _, raw := range changes {
		var e struct{ ID string }
		if err := json.Unmarshal(raw, &e); err != nil {
			w.t.Fatalf("entity %s: %v", raw, err)
		}
		w.entities[e.ID] = raw
	}
	for _, id := range removed {
		delete(w.entities, id)
	}
}

// until reads on until the scene is text.
func (w *watcher) until(text string) {
	for w.scene != text {
		w.next()
	}
}

// sees is what the picture has to be.
func sees(w *world.World, viewer string, area *world.Area) map[string]string {
	all := map[string]string{}
	for _, e := range w.Entities(viewer) {
		if area == nil || area.Contains(e.Position) {
			raw, err := json.Marshal(e)
			if err != nil {
				panic(err) // entities always encode
			}
			all[e.ID] = string(raw)
		}
	}
	return all
}

func (w *watcher) picture() map[string]string {
	all := map[string]string{}
	for id, raw := range w.entities {
		all[id] = string(raw)
	}
	return all
}

// TestPictureEqualsTheWorld lets the world change at random while clients with
// different eyes watch it, move their area of interest, leave and resume: what
// they put together from snapshots and deltas is what they may see.
func TestPictureEqualsTheWorld(t *testing.T) {
	h := newFixture(t, plan{config: config.Server{Profiles: map[string]config.Profile{"guest": {Permissions: []string{"world.read"}}}}})
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		subject := h.subject(rapid.SampledFrom([]string{"dm", "guest", "npc.agent"}).Draw(rt, "profile"))
		if subject.Profile.Name == "npc.agent" {
			subject.NPC = "bart"
		}
		viewer := subject.Caller().Viewer()
		w := h.watch(rt, subject)
		w.ask("state/subscribe", `{}`)
		var area *world.Area
		for i := range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 7).Draw(rt, "step") {
			case 0: // another area
				area = &world.Area{Center: memory.Position{float64(rapid.IntRange(-3, 3).Draw(rt, "x")), 0, 0}, Radius: float64(rapid.IntRange(0, 3).Draw(rt, "radius"))}
				if m := w.ask("aoi/declare", areaJSON(area)); m.Error != nil {
					rt.Fatalf("declaring %s: %+v", areaJSON(area), m.Error)
				}
			case 1: // leave, miss something, come back
				w.leave()
				h.stir(rt)
				w = h.resume(rt, w, subject, area)
			default:
				h.stir(rt)
			}
			mark := fmt.Sprintf("scene %d.%d", round, i)
			if _, err := h.world.SetScene(rt.Context(), mark, "test"); err != nil {
				rt.Fatalf("setting the scene: %v", err)
			}
			w.until(mark)
			if got, want := w.picture(), sees(h.world, viewer, area); !maps.Equal(got, want) {
				rt.Fatalf("viewer %q, area %+v: the picture is\n%v\nwant\n%v", viewer, area, got, want)
			}
		}
		w.leave()
	})
}

// resume connects anew where w has left.
func (h *fixture) resume(t *rapid.T, w *watcher, subject *access.Subject, area *world.Area) *watcher {
	again := h.watch(t, subject)
	again.seq, again.entities, again.scene = w.seq, w.entities, w.scene
	params := fmt.Sprintf(`{"since":%d`, w.seq)
	if area != nil {
		params += `,"aoi":` + areaJSON(area)
	}
	again.ask("state/subscribe", params+"}")
	return again
}

func areaJSON(a *world.Area) string {
	return fmt.Sprintf(`{"center":[%g,%g,%g],"radius":%g}`, a.Center[0], a.Center[1], a.Center[2], a.Radius)
}

// stir changes one thing of the world at random.
func (h *fixture) stir(t *rapid.T) {
	id := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "id")
	ctx := context.Background()
	var err error
	switch rapid.IntRange(0, 3).Draw(t, "change") {
	case 0:
		_, err = h.world.Remove(ctx, id, "test")
	case 1:
		_, err = h.world.Move(ctx, id, memory.Position{float64(rapid.IntRange(-3, 3).Draw(t, "to")), 0, 0}, "test")
	default:
		e := memory.Entity{ID: id, Type: "item", Name: "Thing " + id, Description: rapid.StringMatching(`[a-z]{0,8}`).Draw(t, "words")}
		if rapid.Bool().Draw(t, "somewhere") {
			e.Position = &memory.Position{float64(rapid.IntRange(-3, 3).Draw(t, "at")), 0, 0}
		}
		e.Visible = rapid.SampledFrom([][]string{nil, {"bart"}, {"mira"}}).Draw(t, "known")
		_, err = h.world.Put(ctx, e, "test")
	}
	if err != nil && !strings.Contains(err.Error(), "not found") {
		t.Fatalf("changing %s: %v", id, err)
	}
}

func TestMalformedAreasAreErrors(t *testing.T) {
	h := newFixture(t, plan{})
	w := h.watch(t, h.subject("dm"))
	defer w.leave()
	for name, params := range map[string]string{
		"no area":              `{"aoi":null}`,
		"two numbers":          `{"aoi":{"center":[0,0],"radius":1}}`,
		"a negative radius":    `{"aoi":{"center":[0,0,0],"radius":-1}}`,
		"no radius":            `{"aoi":{"center":[0,0,0]}}`,
		"a text":               `{"aoi":"everything"}`,
		"a misspelt area":      `{"aio":{"center":[0,0,0],"radius":1}}`,
		"a misspelt radius":    `{"aoi":{"center":[0,0,0],"radius":1,"raduis":2}}`,
		"since that is a text": `{"since":"0"}`,
		"since below zero":     `{"since":-1}`,
	} {
		if m := w.ask("state/subscribe", params); m.Error == nil || m.Error.Code != -32602 || m.Error.Message == "" {
			t.Errorf("%s: %s %+v, want error -32602", name, m.Result, m.Error)
		}
	}
	if m := w.ask("aoi/declare", `{"center":[0,0,"x"],"radius":1}`); m.Error == nil || m.Error.Code != -32602 {
		t.Errorf("a malformed declaration: %s %+v", m.Result, m.Error)
	}
	if len(w.entities) != 0 || w.scene != "" {
		t.Error("a malformed area was answered with the world")
	}
}

func TestWhoMayNotFollowSeesNothing(t *testing.T) {
	h := newFixture(t, plan{})
	w := h.watch(t, h.subject("player.limited"))
	defer w.leave()
	for _, method := range []string{"state/subscribe", "state/poll", "aoi/declare"} {
		params := map[string]string{"state/poll": `{"since":0}`, "aoi/declare": `{"center":[0,0,0],"radius":1}`}[method]
		if params == "" {
			params = "{}"
		}
		if m := w.ask(method, params); m.Error == nil || m.Error.Code != -32001 {
			t.Errorf("%s without world.read: %s %+v, want error -32001", method, m.Result, m.Error)
		}
	}
}

func TestRightsThatEndStopTheFeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ends := time.Now().Add(time.Hour)
		h := newFixture(t, plan{config: config.Server{Policy: []config.Rule{
			{Name: "guest", Kind: config.RulePermissionOverride, Grant: []string{"world.read"}, Until: ends.UTC().Format(time.RFC3339)},
		}}})
		w := h.watch(t, h.subject("player.limited"))
		defer w.leave()
		if m := w.ask("state/subscribe", `{}`); m.Error != nil {
			t.Fatalf("subscribing: %+v", m.Error)
		}
		for i := 0; w.ended == ""; i++ {
			if i > 61 {
				t.Fatal("the feed outlives the right to it")
			}
			_, err := h.world.SetScene(t.Context(), fmt.Sprint("scene ", i), "test")
			must(t, "setting the scene", err)
			w.next()
			if w.ended == "" && time.Now().After(ends) {
				t.Errorf("told of %q after the right has ended", w.scene)
			}
			time.Sleep(time.Minute)
		}
	})
}

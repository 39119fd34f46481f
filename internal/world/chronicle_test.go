package world_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/speech"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
	"github.com/MrWong99/glyphoxa/pkg/memory/sqlite"
)

func chronicleMust(t testing.TB, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}

// evening is a store with the lines of one session.
type evening struct {
	*sqlite.Store
	session string
	lines   []memory.Line
}

var names = map[string]string{"hedda": "Hedda", "osric": "Osric"}

func newEvening(t *testing.T, lines ...memory.Line) *evening {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), nil)
	chronicleMust(t, "Open", err)
	t.Cleanup(func() { chronicleMust(t, "Close", s.Close()) })
	session, err := s.StartSession(t.Context(), "Eldermoor")
	chronicleMust(t, "StartSession", err)
	e := &evening{Store: s, session: session.ID}
	e.say(t, lines...)
	return e
}

func (e *evening) say(t *testing.T, lines ...memory.Line) {
	t.Helper()
	for i := range lines {
		lines[i].Session = e.session
	}
	lines, err := e.Append(t.Context(), lines...)
	chronicleMust(t, "Append", err)
	e.lines = append(e.lines, lines...)
}

// ferry returns a conversation with memorable lines.
func ferry() []memory.Line {
	return []memory.Line{
		{Turn: 1, Speaker: "Ada", To: "hedda", User: "u:ada", Ref: "m1", Text: "Good evening. We promise you the ferry bell.", Present: memory.Heard("hedda")},
		{Turn: 1, Speaker: "Hedda", NPC: "hedda", Text: "Then I owe you a crossing, and my thanks.", Present: memory.Heard("hedda")},
		{Turn: 2, Speaker: "Brom", To: "osric", User: "u:brom", Text: "My brother Tobin drowned at the weir.", Present: memory.Heard("osric")},
		{Turn: 2, Speaker: "Osric", NPC: "osric", Text: "So it was this: my brother Tobin drowned at the weir. Hm.", Present: memory.Heard("osric")},
		{Turn: 3, Speaker: "Ada", User: "u:ada", Text: "I swear this microphone hates me.", Present: memory.Heard()},
	}
}

func open(t *testing.T, s world.ChronicleStore) *world.Chronicle {
	t.Helper()
	c, err := world.OpenChronicle(t.Context(), s, nil)
	chronicleMust(t, "Open", err)
	return c
}

func texts(all []world.Entry) (out []string) {
	for _, e := range all {
		out = append(out, e.Text)
	}
	return out
}

func facts(t *testing.T, s *sqlite.Store, viewer, about string) (out []string) {
	t.Helper()
	hits, err := s.SearchFacts(t.Context(), about, viewer, 20)
	chronicleMust(t, "SearchFacts", err)
	for _, h := range hits {
		if strings.HasPrefix(h.Source, "chronicle:") {
			out = append(out, h.Text)
		}
	}
	return out
}

func TestWhatIsProposed(t *testing.T) {
	e := newEvening(t, ferry()...)
	c := open(t, e)
	got, err := c.Gather(t.Context(), e.lines, names, false, nil)
	chronicleMust(t, "Gather", err)
	want := []string{
		"Ada (player) (to Hedda): We promise you the ferry bell.",
		"Hedda (NPC): Then I owe you a crossing, and my thanks.",
		"Brom (player) (to Osric): My brother Tobin drowned at the weir.",
	}
	if diff := cmp.Diff(want, texts(got)); diff != "" {
		t.Errorf("proposed (-want +got):\n%s", diff)
	}
	for i, want := range []world.Entry{
		{Kind: speech.SalientPromise, NPC: "hedda", Person: "Ada", Lines: []int64{e.lines[0].ID}},
		{Kind: speech.SalientDebt, NPC: "hedda", Person: "Ada", Lines: []int64{e.lines[1].ID}},
		{Kind: speech.SalientDeath, Lines: []int64{e.lines[2].ID}},
	} {
		if g := got[i]; g.Kind != want.Kind || g.NPC != want.NPC || g.Person != want.Person || !slices.Equal(g.Lines, want.Lines) || g.Accepted {
			t.Errorf("proposal %d is %+v, want %+v", i, g, want)
		}
	}
	if found := facts(t, e.Store, "", "ferry bell"); len(found) > 0 {
		t.Errorf("%q is known before anybody accepted it", found)
	}
	if known := c.Between("hedda", "Ada", nil); len(known) > 0 {
		t.Errorf("Hedda has %q in mind before anybody accepted it", known)
	}
}

func TestAcceptedIsKnownToThoseWhoHeard(t *testing.T) {
	e := newEvening(t, ferry()...)
	c := open(t, e)
	got, err := c.Gather(t.Context(), e.lines, names, false, nil)
	chronicleMust(t, "Gather", err)
	_, err = c.Decide(t.Context(), got[0].ID, true, "Ada promised Hedda the ferry bell.")
	chronicleMust(t, "Decide", err)
	_, err = c.Decide(t.Context(), got[2].ID, false, "")
	chronicleMust(t, "Decide", err)
	for viewer, want := range map[string]int{"hedda": 1, "osric": 0, "": 1} {
		if found := facts(t, e.Store, viewer, "ferry bell"); len(found) != want {
			t.Errorf("%q finds %q, want %d", viewer, found, want)
		}
	}
	for _, c := range []*world.Chronicle{c, open(t, e)} { // after a restart too
		if known := c.Between("hedda", "ada", nil); !slices.Equal(known, []string{"Ada promised Hedda the ferry bell."}) {
			t.Errorf("Hedda has %q in mind, want the promise", known)
		}
		if known := c.Between("osric", "Ada", nil); len(known) > 0 {
			t.Errorf("Osric has %q in mind", known)
		}
		if waiting := texts(c.List(false)); len(waiting) != 1 {
			t.Errorf("%q wait, want Hedda's own", waiting)
		}
	}
	if _, err := c.Decide(t.Context(), got[0].ID, true, ""); err == nil {
		t.Error("an entry was accepted twice")
	}
	if _, err := c.Decide(t.Context(), 999, true, ""); !errors.Is(err, world.ErrNoEntry) {
		t.Errorf("err = %v, want ErrNoEntry", err)
	}
}

func TestEachLineIsGoneThroughOnce(t *testing.T) {
	e := newEvening(t, ferry()...)
	c := open(t, e)
	first, err := c.Gather(t.Context(), e.lines, names, false, nil)
	chronicleMust(t, "Gather", err)
	for _, p := range first {
		_, err := c.Drop(t.Context(), p.ID)
		chronicleMust(t, "Drop", err)
	}
	c = open(t, e)
	if again, err := c.Gather(t.Context(), e.lines, names, false, nil); err != nil || len(again) > 0 {
		t.Errorf("proposed again: %q, %v", texts(again), err)
	}
	e.say(t, memory.Line{Turn: 4, Speaker: "Brom", To: "osric", Text: "I owe you three silver, Osric.", Present: memory.Heard("osric")})
	if more, err := c.Gather(t.Context(), e.lines, names, false, nil); err != nil || len(more) != 1 {
		t.Errorf("of a new line was proposed %q, %v; want the debt", texts(more), err)
	}
}

func TestAcceptedAtOnceIfSoConfigured(t *testing.T) {
	e := newEvening(t, ferry()...)
	c := open(t, e)
	_, err := c.Gather(t.Context(), e.lines, names, true, nil)
	chronicleMust(t, "Gather", err)
	if known := c.Between("hedda", "Ada", nil); len(known) != 2 {
		t.Errorf("Hedda has %q in mind, want the promise and the debt", known)
	}
	if waiting := c.List(false); len(waiting) > 0 {
		t.Errorf("%q wait", texts(waiting))
	}
}

func TestPinsAreInMind(t *testing.T) {
	e := newEvening(t)
	c := open(t, e)
	p, err := c.Add(t.Context(), world.Entry{Kind: world.LearntPin, NPC: "osric", Text: " The weir \n opens at dawn. ", Visible: []string{"osric"}})
	chronicleMust(t, "Add", err)
	if known := c.Between("osric", "anybody", nil); !slices.Equal(known, []string{"The weir opens at dawn."}) {
		t.Errorf("Osric has %q in mind", known)
	}
	if known := c.Between("hedda", "anybody", nil); len(known) > 0 {
		t.Errorf("Hedda has %q in mind", known)
	}
	_, err = c.Drop(t.Context(), p.ID)
	chronicleMust(t, "Drop", err)
	if known, found := c.Between("osric", "anybody", nil), facts(t, e.Store, "", "weir"); len(known)+len(found) > 0 {
		t.Errorf("dropped, it is in mind (%q) and found (%q)", known, found)
	}
	if _, err := c.Add(t.Context(), world.Entry{Kind: world.LearntPin, Text: " \x00 "}); err == nil {
		t.Error("nothing was pinned")
	}
}

func TestForgottenWithWhoSaidIt(t *testing.T) {
	e := newEvening(t, ferry()...)
	c := open(t, e)
	_, err := c.Gather(t.Context(), e.lines, names, true, nil)
	chronicleMust(t, "Gather", err)
	chronicleMust(t, "Forget", c.Forget(t.Context(), "u:ada"))
	left := texts(c.List(true))
	if slices.ContainsFunc(left, func(s string) bool { return strings.HasPrefix(s, "Ada") }) || len(left) == 0 {
		t.Errorf("left is %q, want what Brom and Hedda said", left)
	}
	if found := facts(t, e.Store, "", "ferry bell crossing"); slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, "Ada") }) {
		t.Errorf("found is %q", found)
	}
	kept, err := e.LoadState(t.Context(), "chronicle")
	chronicleMust(t, "LoadState", err)
	for key, value := range kept {
		if strings.Contains(string(value), "u:ada") {
			t.Errorf("entry %s still has her id: %s", key, value)
		}
	}
	_, err = c.Add(t.Context(), world.Entry{Kind: world.LearntPin, Text: "Ada Marsh keeps bees."})
	chronicleMust(t, "Add", err)
	for _, user := range []string{"u:ada", "", "Ada Marsh"} {
		chronicleMust(t, "Forget", c.Forget(t.Context(), user))
		if now := texts(c.List(true)); len(now) != len(left)+1 {
			t.Errorf("forgetting %q left %q, want what the game master pinned of her beside %q", user, now, left)
		}
	}
}

func TestTakenBackWithItsMessage(t *testing.T) {
	e := newEvening(t, ferry()...)
	c := open(t, e)
	_, err := c.Gather(t.Context(), e.lines, names, false, nil)
	chronicleMust(t, "Gather", err)
	chronicleMust(t, "Retract", c.Retract(t.Context(), e.session, "m1"))
	if left := texts(c.List(false)); len(left) != 1 || !strings.HasPrefix(left[0], "Brom") {
		t.Errorf("left is %q, want Brom's alone", left)
	}
}

// broken is a store that fails to write.
type broken struct{ *sqlite.Store }

var errDisk = errors.New("the disk is full")

func (broken) SaveState(context.Context, string, map[string][]byte) error { return errDisk }

func TestWhatIsNotKeptIsNotKnown(t *testing.T) {
	e := newEvening(t, ferry()...)
	c := open(t, broken{e.Store})
	if _, err := c.Gather(t.Context(), e.lines, names, true, nil); !errors.Is(err, errDisk) {
		t.Errorf("err = %v, want the disk's", err)
	}
	if known := c.List(true); len(known) > 0 {
		t.Errorf("%q counts and was not kept", texts(known))
	}
}

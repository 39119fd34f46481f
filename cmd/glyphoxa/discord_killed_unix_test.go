//go:build unix

package main_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/MrWong99/glyphoxa/internal/lab/discordtest"
)

// TestDiscordKilledAtAnyTime kills the program twenty times: during a turn,
// between turns, and while a session begins. The database opens every time,
// contains every line of a finished turn, and the bot offers to continue the
// session, and does so with its transcript.
func TestDiscordKilledAtAnyTime(t *testing.T) {
	if testing.Short() {
		t.Skip("long; make test-all runs it")
	}
	t.Parallel()
	const kills, most = 20, 3 // lines in a round
	chance := rand.New(rand.NewPCG(6, 2026))
	d := discordtest.New(t, nil)
	g := newGuild(t, d, "home")
	m, h := newThinker(t)
	m.wake()
	said, last := 0, "" // the last word of the interrupted session
	var over []string   // words whose turn had ended when the program was killed
	for n := range kills {
		s := h.bot(d, thoughtful)
		if n%5 == 4 { // while the session begins
			if _, err := d.Command(g.dm, g.channel, "session start"); err != nil {
				t.Fatal(err)
			}
			s.killed(time.Duration(chance.IntN(50)) * time.Millisecond)
			continue
		}
		again := g.begins(t, last, chance.IntN(4) > 0)
		lines := 1 + chance.IntN(most)
		for k := range lines {
			d.Say(g.channel, g.ana, "Bartok, "+word(said+k), nil)
		}
		turn := chance.IntN(lines) // the turn during or after which the program is killed
		for k := range turn + 1 {
			if w := m.next(t); w != word(said+k) {
				t.Fatalf("the model is asked about %q, want %q", w, word(said+k))
			}
		}
		if again && !m.knows(word(said), last) {
			t.Errorf("the session goes on, and the model is not told of %q", last)
		}
		ended := turn // a turn begins when the previous one has ended
		if chance.IntN(2) == 0 {
			g.hears(t, g.channel, "Bartok", word(said+turn))
			g.isOver(t, turn+1)
			ended++
		}
		s.killed(time.Duration(chance.IntN(2)*chance.IntN(20)) * time.Millisecond)
		if !again {
			last = ""
		}
		for k := range ended {
			last = word(said + k)
			over = append(over, last)
		}
		for len(m.asked) > 0 {
			<-m.asked
		}
		said += lines
	}
	h.bot(d, thoughtful)
	kept := h.kept(g)
	for _, w := range over {
		for _, want := range []string{"Ana: Bartok, " + w, "Bartok: I heard " + w + "."} {
			if n := count(kept, want); n != 1 {
				t.Errorf("%q is kept %d times, want once", want, n)
			}
		}
	}
	for _, l := range kept { // no half turns
		if w, ok := strings.CutPrefix(l, "Bartok: I heard "); ok && count(kept, "Ana: Bartok, "+strings.TrimSuffix(w, ".")) != 1 {
			t.Errorf("%q is kept without the line it answers", l)
		}
	}
	t.Logf("%d lines were said, %d turns were over, %d lines are kept", said, len(over), len(kept))
}

// begins starts a session and reports whether it continues the interrupted one.
// Unless last is empty, that session's transcript must contain it.
func (g *guild) begins(t testing.TB, last string, goOn bool) bool {
	t.Helper()
	m := g.gives(t, g.dm, "session start")
	again := false
	if len(m.Components) > 0 {
		label := "Start a new one"
		if goOn {
			label, again = "Continue", last != ""
		}
		m = g.presses(t, g.dm, g.channel, m, label)
	} else if last != "" {
		t.Errorf("/session start answers %q, want that the session is offered in which %q was said", m.Content, last)
	}
	answers(t, m, false, "At the table")
	return again
}

// next returns the next word the model is asked about.
func (m *thinker) next(t testing.TB) string {
	t.Helper()
	select {
	case w := <-m.asked:
		return w
	case <-time.After(limit):
		t.Fatalf("the model was asked nothing for %s", limit)
		return ""
	}
}

// knows reports whether the prompt about one word contained the answer to an
// earlier word.
func (m *thinker) knows(asked, earlier string) bool {
	for _, r := range m.server.ChatRequests() {
		if strings.HasSuffix(r.Chat.LastUser(), asked) {
			return strings.Contains(string(r.Body), "I heard "+earlier)
		}
	}
	return false
}

// isOver waits until at least n turns of a session have ended, of at most
// three, because the next turn may end before the query.
func (g *guild) isOver(t testing.TB, turns int) {
	t.Helper()
	told := []string{"lately one answer:", "lately 2 answers:", "lately 3 answers:"}
	g.until(t, "tier status", told[turns-1:]...)
}

// until gives a command as a dungeon master until its answer contains one of
// the words.
func (g *guild) until(t testing.TB, command string, words ...string) {
	t.Helper()
	last := ""
	for begun := time.Now(); time.Since(begun) < limit; {
		i, err := g.d.Command(g.dm, g.channel, command)
		if err != nil {
			t.Fatal(err)
		}
		m, err := i.Answer(t.Context())
		if errors.Is(err, discordtest.ErrNoAnswer) { // a lost connection loses its pending interactions
			t.Logf("/%s: %v; the connections: %+v", command, err, g.d.Connections())
			continue
		}
		if err != nil {
			t.Fatalf("/%s: %v", command, err)
		}
		last = m.Content
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(last, w) }) {
			return
		}
	}
	t.Fatalf("/%s still answers %q after %s, want %q in it", command, last, limit, words)
}

// word is one of many different words.
func word(n int) string { return "quay" + string(rune('a'+n/26)) + string(rune('a'+n%26)) }

func count(all []string, s string) (n int) {
	for _, other := range all {
		if other == s {
			n++
		}
	}
	return n
}

// killed kills the program after a delay and waits for its end.
func (s *session) killed(after time.Duration) {
	s.t.Helper()
	kill := time.AfterFunc(after, func() { _ = s.cmd.Process.Kill() }) // the caller checks how the process ends
	defer kill.Stop()
	if r := s.ended(); r.code != -1 {
		s.t.Errorf("exit code %d, want death by the signal; stderr %s", r.code, r.stderr)
	}
}

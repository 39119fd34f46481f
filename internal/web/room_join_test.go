package web_test

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/MrWong99/glyphoxa/internal/lab/fakeopenai"
	"github.com/MrWong99/glyphoxa/internal/lab/saytest"
	"github.com/MrWong99/glyphoxa/internal/lab/visitor"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/web"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// loud returns the strength of the NPC's tone in a player's sound.
func loud(p *player, pitch float64) float64 {
	sound := p.heard[0]
	if len(sound) < audio.SampleRate/4 {
		return 0
	}
	return saytest.Tone(sound, pitch, audio.SampleRate)
}

// TestAGuestHearsAnNPC: a guest types a line, reads the answer and hears its tone.
func TestAGuestHearsAnNPC(t *testing.T) {
	b := open(t, setup{answer: "Welcome to the Flagon, traveller. Sit down."})
	ana := b.enter("Ana")
	if ana.Name != "Ana" || ana.Table.Title != "The Rusty Flagon" || ana.Table.Hears {
		t.Errorf("joined as %+v", ana.Joined)
	}
	ana.awaitMessage("who is there", func(m visitor.Message) bool { return m.Type == "state" && m.You == "Ana" && len(m.NPCs) == 1 })
	if err := ana.Send(map[string]string{"type": "say", "text": "Good evening, Bartok."}); err != nil {
		t.Fatal(err)
	}
	ana.awaitMessage("the player's line", func(m visitor.Message) bool {
		return m.Type == "line" && m.Speaker == "Ana" && !m.NPC && m.Text == "Good evening, Bartok."
	})
	ana.awaitMessage("the answer", func(m visitor.Message) bool {
		return m.Type == "line" && m.NPC && m.Final && m.Text == "Welcome to the Flagon, traveller. Sit down."
	})
	voice := fakeopenai.Speech("whatever it says", "alloy", 1)
	pitch := strongest(voice, fakeopenai.SpeechRate)
	ana.await("the NPC's tone", func() bool { return loud(ana, pitch) > 1000 })
	ana.mu.Lock()
	defer ana.mu.Unlock()
	if got := strongest(ana.heard[0], audio.SampleRate); got != pitch {
		t.Errorf("the tone heard has %v Hz, want %v", got, pitch)
	}
	for i, p := range ana.packets[0][1:] {
		if before := ana.packets[0][i]; p.SequenceNumber != before.SequenceNumber+1 || p.Timestamp-before.Timestamp < uint32(audio.FrameSamples) {
			t.Errorf("packet %d goes from %d at %d to %d at %d", i, before.SequenceNumber, before.Timestamp, p.SequenceNumber, p.Timestamp)
		}
	}
}

// strongest returns the fake voices' pitch that is strongest in a sound.
func strongest(sound []int16, rate float64) (pitch float64) {
	most := 0.0
	for hz := 110.0; hz <= 340; hz += 10 {
		if a := saytest.Tone(sound, hz, rate); a > most {
			pitch, most = hz, a
		}
	}
	return pitch
}

// TestWhoIsNotLetIn: each refusal has its status and says what to do.
func TestWhoIsNotLetIn(t *testing.T) {
	b := open(t, setup{answer: "Hello.", options: web.RoomOptions{MaxGuests: 2}})
	b.enter("Ana")
	section := "m=video 9 UDP/TLS/RTP/SAVPF 96\r\nc=IN IP4 0.0.0.0\r\na=mid:v\r\na=rtpmap:96 VP8/90000\r\n"
	rows := []struct {
		name   string
		o      visitor.Options
		status int
		text   string
	}{
		{"wrong_invite", visitor.Options{Name: "Ben", Invite: "AAAAAAAAAAAAAAAAAAAAAAAAAA"}, 403, "Ask the host for a new one."},
		{"no_consent", visitor.Options{Name: "Ben", Withhold: true}, 400, "Say that you agree"},
		{"no_name", visitor.Options{Name: " \u200b "}, 400, "Enter your name"},
		{"long_name", visitor.Options{Name: strings.Repeat("Ben", 20)}, 400, "A name may have at most 40 characters."},
		{"taken", visitor.Options{Name: "ana"}, 409, "ana is already at the table. Choose another name."},
		{"an_npc", visitor.Options{Name: "Bartok"}, 409, "Bartok is the name of someone in the story."},
		{"odd_seat", visitor.Options{Name: "Ben", Seat: "mine"}, 400, "That seat does not belong to this table."},
		{"no_offer", visitor.Options{Name: "Ben", Offer: func(string) string { return "" }}, 400, "the offer is missing"},
		{"garbage", visitor.Options{Name: "Ben", Offer: func(string) string { return "v=0\r\nnonsense" }}, 400, "the offer is not a session description"},
		{"video", visitor.Options{Name: "Ben", Offer: func(o string) string { return o + section }}, 400, "at most 6 sections"},
		{"video_in_place_of_a_player", visitor.Options{Name: "Ben", Offer: func(o string) string { return strings.Replace(o, "m=audio", "m=video", 1) }}, 400, "only sound and data"},
		{"two_microphones", visitor.Options{Name: "Ben", Offer: func(o string) string { return strings.ReplaceAll(o, "a=recvonly", "a=sendrecv") }}, 400, "only the first section of sound may send"},
		{"no_opus", visitor.Options{Name: "Ben", Offer: func(o string) string { return strings.ReplaceAll(o, "opus/48000/2", "PCMU/8000") }}, 400, "does not offer"},
		{"many_sections", visitor.Options{Name: "Ben", Offer: func(o string) string { return o + strings.Repeat(section, 200) }}, 400, "at most 6 sections"},
		{"many_sources", visitor.Options{Name: "Ben", Offer: func(o string) string {
			return strings.Replace(o, "a=ssrc:", "a=ssrc:1 cname:a\r\na=ssrc:2 cname:b\r\na=ssrc:", 1)
		}}, 400, "at most 2 sources"},
		{"qualities", visitor.Options{Name: "Ben", Offer: func(o string) string { return strings.Replace(o, "a=ssrc:", "a=rid:hi send\r\na=ssrc:", 1) }}, 400, "one quality"},
		{"many_candidates", visitor.Options{Name: "Ben", Offer: func(o string) string {
			return strings.Replace(o, "a=ice-ufrag", strings.Repeat("a=candidate:1 1 udp 1 192.0.2.1 5000 typ host\r\n", 65)+"a=ice-ufrag", 1)
		}}, 400, "at most 64 candidates"},
		{"huge", visitor.Options{Name: "Ben", Offer: func(o string) string { return o + strings.Repeat("a=x\r\n", 8000) }}, 400, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			p, err := b.join(row.o)
			var refused *visitor.Refused
			if !errors.As(err, &refused) || refused.Status != row.status || !strings.Contains(refused.Text, row.text) {
				t.Errorf("err = %v, want %d with %q", err, row.status, row.text)
			}
			if p.Visitor != nil {
				t.Error("a visitor is left")
			}
		})
	}
	if got := b.room.Guests(); len(got) != 1 || got[0] != "Ana" {
		t.Errorf("guests are %v after all refusals, want Ana alone", got)
	}
	b.enter("Ben")
	var refused *visitor.Refused
	if _, err := b.join(visitor.Options{Name: "Cleo"}); !errors.As(err, &refused) || refused.Status != 503 {
		t.Errorf("err = %v at a full table, want 503", err)
	}
}

// TestAReloadTakesItsSeat: a page with the secret of a seat takes the seat over, even after the
// invite was renewed, and reads the earlier lines. No page without the secret does.
func TestAReloadTakesItsSeat(t *testing.T) {
	b := open(t, setup{answer: "Sit down, then."})
	ana := b.enter("Ana")
	if err := ana.Send(map[string]string{"type": "say", "text": "Bartok, a word."}); err != nil {
		t.Fatal(err)
	}
	ana.awaitMessage("the answer", func(m visitor.Message) bool { return m.Type == "line" && m.NPC && m.Text == "Sit down, then." })
	old := b.invite()
	b.room.RenewInvite()
	var refused *visitor.Refused
	if _, err := b.join(visitor.Options{Name: "Ben", Invite: old}); !errors.As(err, &refused) || refused.Status != 403 {
		t.Errorf("err = %v with an invite that ended, want 403", err)
	}
	again, err := b.join(visitor.Options{Name: "Ana", Invite: old, Seat: ana.Seat})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Seat != ana.Seat || again.Name != "Ana" {
		t.Errorf("joined again as %+v", again.Joined)
	}
	ana.awaitMessage("the goodbye", func(m visitor.Message) bool { return m.Type == "bye" })
	again.awaitMessage("what was said before", func(m visitor.Message) bool { return m.Type == "line" && m.Text == "Sit down, then." })
	if got := b.room.Guests(); len(got) != 1 {
		t.Errorf("guests are %v, want Ana once", got)
	}
}

// TestTheNextSession: an open page does not confuse lines of the next session with lines of
// this one, although the turn numbers restart.
func TestTheNextSession(t *testing.T) {
	b := open(t, setup{answer: "Sit down, then.", voiceless: true})
	seen := map[string]string{} // texts by id
	say := func(text string) {
		ana := b.enter("Ana")
		if err := ana.Send(map[string]string{"type": "say", "text": text}); err != nil {
			t.Fatal(err)
		}
		for what, is := range map[string]func(visitor.Message) bool{
			"the line":   func(m visitor.Message) bool { return m.Text == text },
			"the answer": func(m visitor.Message) bool { return m.NPC && m.Final && m.Text == "Sit down, then." },
		} {
			m := ana.awaitMessage(what, func(m visitor.Message) bool { return m.Type == "line" && is(m) })
			if before, known := seen[m.ID]; known {
				t.Errorf("%q has the id of %q", m.Text, before)
			}
			seen[m.ID] = m.Text
		}
	}
	say("Bartok, a word.")
	if err := b.session.Close(); err != nil {
		t.Fatal(err)
	}
	b.awaitNobody()
	var err error
	if b.session, err = b.game.StartSession(t.Context(), play.SessionOptions{Sink: b}); err != nil {
		t.Fatal(err)
	}
	say("Bartok, we are back.")
}

// TestGuestsLeave lets guests leave, be removed by the game master and be forgotten. Nothing of
// them remains.
func TestGuestsLeave(t *testing.T) {
	b := open(t, setup{answer: "Farewell."})
	b.enter("Nobody").Close()
	before := runtime.NumGoroutine()
	for range 3 {
		ana, ben, cleo := b.enter("Ana"), b.enter("Ben"), b.enter("Cleo")
		if err := ana.Send(map[string]string{"type": "leave"}); err != nil {
			t.Fatal(err)
		}
		ana.awaitMessage("the goodbye", func(m visitor.Message) bool { return m.Type == "bye" && m.Reason == "You have left the table." })
		if err := b.room.Remove("ben"); err != nil {
			t.Fatal(err)
		}
		ben.awaitMessage("the goodbye", func(m visitor.Message) bool { return m.Type == "bye" && strings.Contains(m.Reason, "game master") })
		if err := cleo.Send(map[string]string{"type": "say", "text": "My name is Cleo, and I owe nine silver."}); err != nil {
			t.Fatal(err)
		}
		cleo.awaitMessage("the answer", func(m visitor.Message) bool { return m.Type == "line" && m.NPC && m.Final })
		if err := cleo.Send(map[string]string{"type": "forget"}); err != nil {
			t.Fatal(err)
		}
		cleo.awaitMessage("the goodbye", func(m visitor.Message) bool { return m.Type == "bye" && strings.Contains(m.Reason, "has been deleted") })
		for _, p := range []*player{ana, ben, cleo} {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
		b.awaitNobody()
	}
	if err := b.room.Remove("Ana"); err == nil {
		t.Error("who has left was taken out")
	}
	lines, err := b.game.Store.Recent(t.Context(), b.session.ID(), 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if strings.Contains(l.Text, "silver") {
			t.Errorf("%q is kept of who was forgotten", l.Text)
		}
	}
	for i := 0; runtime.NumGoroutine() > before; i++ {
		http.DefaultClient.CloseIdleConnections() // connections of earlier tests
		if i > 600 {
			buffer := make([]byte, 1<<20)
			t.Fatalf("%d goroutines before and %d after:\n%s", before, runtime.NumGoroutine(), buffer[:runtime.Stack(buffer, true)])
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestGuestsWithTakenNames: guests take names that occur in the world and in others' lines,
// speak, and ask to be forgotten. Everything except their own lines stays byte for byte, and
// the game master reads once where others mention them.
func TestGuestsWithTakenNames(t *testing.T) {
	b := open(t, setup{answer: "Greta? Thornhollow has gold, and the Red Ring.", voiceless: true})
	world := memory.Batch{Put: []memory.Entity{
		{ID: "greta", Type: "npc", Name: "Greta", Description: "Greta keeps the Red Ring of Thornhollow.", Aliases: []string{"Old Greta"}},
		{ID: "thornhollow", Type: "location", Name: "Thornhollow", Attributes: map[string]string{"known for": "gold"}},
	}, Relate: []memory.Relation{{From: "greta", Type: "lives_in", To: "thornhollow", Note: "Greta pays in gold"}}}
	if err := errors.Join(b.game.Store.Change(t.Context(), world), b.game.Store.Remember(t.Context(), memory.Fact{Source: "world", Text: "Greta hid gold in Thornhollow."})); err != nil {
		t.Fatal(err)
	}
	line, err := memory.KindNamed("line")
	if err != nil {
		t.Fatal(err)
	}
	text, session := line.Column("text"), b.session.ID()
	kept := func() (all []string) { // records of the world and lines of others
		t.Helper()
		err := b.game.Store.Dump(t.Context(), func(r memory.Record) error {
			if r.Kind == "line" {
				if !strings.Contains(r.Values[text].(string), "quicksilver") {
					all = append(all, fmt.Sprint(r.Values))
				}
			} else if r.Kind == "entity" || r.Kind == "relation" || r.Kind == "fact" && !strings.HasPrefix(fmt.Sprint(r.Values[1]), "session:") {
				all = append(all, fmt.Sprint(r.Values))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for _, name := range []string{"Greta", "Red Ring", "Thornhollow", "gold"} {
		guest := b.enter(name)
		if err := guest.Send(map[string]string{"type": "say", "text": "Bartok, I am of the quicksilver mine."}); err != nil {
			t.Fatal(err)
		}
		guest.awaitMessage("the answer", func(m visitor.Message) bool { return m.Type == "line" && m.NPC && m.Final })
		b.awaitKept(session, "quicksilver")
		before := kept()
		if err := guest.Send(map[string]string{"type": "forget"}); err != nil {
			t.Fatal(err)
		}
		guest.awaitMessage("the goodbye", func(m visitor.Message) bool { return m.Type == "bye" && strings.Contains(m.Reason, "has been deleted") })
		b.awaitNobody()
		if after := kept(); !slices.Equal(before, after) {
			t.Errorf("%s is forgotten (-before +after):\n%s", name, cmp.Diff(before, after))
		}
		lines, err := b.game.Store.SearchLines(t.Context(), memory.LineQuery{Text: "quicksilver"})
		if err != nil || len(lines) > 0 {
			t.Errorf("%s is forgotten, and %+v is found, %v", name, lines, err)
		}
		list, _ := b.game.Mentions.Pop()
		if b.game.Mentions.CountWaiting() > 0 || !slices.ContainsFunc(list.Found, func(m play.Mention) bool { return m.Kind == play.MentionLine && strings.HasPrefix(m.Text, "Bartok: ") }) ||
			!slices.Equal(list.Names, []string{name}) {
			t.Errorf("%s is forgotten, and mentions are %+v", name, list)
		}
	}
}

// awaitKept waits until a session has a stored line with a word.
func (b *setting) awaitKept(session, word string) {
	b.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		lines, err := b.game.Store.Recent(b.t.Context(), session, 100)
		if err != nil {
			b.t.Fatal(err)
		}
		if n := len(lines); n > 0 && lines[n-1].NPC != "" && slices.ContainsFunc(lines, func(l memory.Line) bool { return strings.Contains(l.Text, word) }) {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("nothing with %q is kept", word)
		}
	}
}

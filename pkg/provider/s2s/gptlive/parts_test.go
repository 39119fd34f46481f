package gptlive

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// TestFeedKeepsTime shows what is sent when: silence in real time, a turn's sound
// no faster than that, and the mute around it.
func TestFeedKeepsTime(t *testing.T) {
	f := newFeed(defaultLead)
	now := time.Unix(0, 0)
	begun := now
	var log []string
	sent := 0
	buf := make([]int16, piece)
	// play has time pass until an instant, as the feed asks for it.
	play := func(until time.Duration) {
		for now.Sub(begun) < until {
			o := f.next(now, buf)
			switch {
			case o.mute:
				log = append(log, fmt.Sprintf("mute at %v", now.Sub(begun)))
			case o.unmute:
				log = append(log, fmt.Sprintf("unmute at %v", now.Sub(begun)))
			case len(o.samples) > 0:
				sent += len(o.samples)
				if o.samples[0] != 0 {
					log = append(log, fmt.Sprintf("%v of sound at %v", audio.Duration(len(o.samples), rate), now.Sub(begun)))
				}
				if ahead := audio.Duration(sent, rate) - now.Sub(begun); ahead > 2*defaultLead {
					t.Errorf("%v ahead of real time at %v", ahead, now.Sub(begun))
				}
			case o.wait <= 0:
				t.Fatalf("nothing to do and no time to wait at %v", now.Sub(begun))
			default:
				now = now.Add(min(o.wait, until-now.Sub(begun)))
			}
		}
	}
	sound := func(d time.Duration) []int16 { return slices.Repeat([]int16{1}, int(d.Seconds()*rate)) }
	play(time.Second)
	if got := audio.Duration(sent, rate); got != time.Second-100*time.Millisecond {
		t.Errorf("%v of silence in a second, want all but the piece that is not over", got)
	}
	f.setTurn(true)
	f.add(sound(300*time.Millisecond), now)
	f.setTurn(false)
	play(1500 * time.Millisecond)
	f.setTurn(true)
	f.add(sound(20*time.Millisecond), now)
	play(1520 * time.Millisecond)
	play(3 * time.Second) // the turn is open, and nobody speaks
	f.setTurn(false)
	play(4 * time.Second)
	want := []string{
		"mute at 0s",
		"unmute at 1s", "100ms of sound at 1s", "100ms of sound at 1s", "100ms of sound at 1.001s",
		"20ms of sound at 1.5s",
		"mute at 3s",
	}
	if !slices.Equal(log, want) {
		t.Errorf("the feed sent\n%s\nwant\n%s", strings.Join(log, "\n"), strings.Join(want, "\n"))
	}
	if got := audio.Duration(sent, rate); got < 3800*time.Millisecond || got > 4*time.Second {
		t.Errorf("%v sent in 4 s", got)
	}
}

// TestFeedForgetsASuspension shows that a machine that slept does not send for
// minutes what it missed.
func TestFeedForgetsASuspension(t *testing.T) {
	f := newFeed(defaultLead)
	buf := make([]int16, piece)
	now := time.Unix(0, 0)
	f.next(now, buf) // the mute
	now = now.Add(time.Hour)
	sent := 0
	for range 100 {
		sent += len(f.next(now, buf).samples)
	}
	if sent > int(asleep.Seconds()*rate) {
		t.Errorf("%v of silence at once", audio.Duration(sent, rate))
	}
}

// TestFeedIsBounded shows that the oldest sound goes when nobody takes it.
func TestFeedIsBounded(t *testing.T) {
	f := newFeed(defaultLead)
	now := time.Unix(0, 0)
	f.add(make([]int16, maxQueued), now)
	f.add([]int16{7}, now)
	if len(f.queue) != maxQueued || f.queue[maxQueued-1] != 7 {
		t.Errorf("%d samples wait, the last is %d", len(f.queue), f.queue[len(f.queue)-1])
	}
}

// TestGate shows what of the service's sound is speech.
func TestGate(t *testing.T) {
	var g gate
	quiet, loud := make([]int16, piece), slices.Repeat([]int16{1000}, piece)
	late := slices.Concat(make([]int16, piece/2), loud[:piece/2])
	now := time.Unix(1000, 0)
	for i, row := range []struct {
		after time.Duration
		in    []int16
		heard int
	}{
		{0, quiet, 0},
		{100 * time.Millisecond, late, piece/2 + onset},
		{100 * time.Millisecond, loud, piece},
		{100 * time.Millisecond, quiet, piece},
		{200 * time.Millisecond, quiet, piece},
		{40 * time.Millisecond, loud, piece}, // a pause within a run
		{310 * time.Millisecond, quiet, 0},
		{30 * time.Millisecond, quiet, 0},
		{20 * time.Millisecond, loud, piece},
		{600 * time.Millisecond, loud, piece},
		{600 * time.Millisecond, quiet, 0},
	} {
		now = now.Add(row.after)
		if heard := len(g.pass(row.in, now)); heard != row.heard {
			t.Errorf("row %d: %d samples, want %d", i, heard, row.heard)
		}
	}
	if firstAudible([]int16{0, -32, 32, math.MinInt16}) != 3 {
		t.Error("the loudest sample is not heard")
	}
}

// TestSplit cuts at sentences, else at words, else anywhere.
func TestSplit(t *testing.T) {
	for _, row := range []struct {
		name, text string
		limit      int
		want       []string
	}{
		{"nothing", " \n", 10, nil},
		{"short", " One. ", 10, []string{"One."}},
		{"sentences", "One two. Three four! Five?", 9, []string{"One two.", "Three four!", "Five?"}},
		{"quoted", `He says "Go." And goes.`, 12, []string{`He says "Go."`, "And goes."}},
		{"lines", "One two\nthree four", 6, []string{"One two", "three four"}},
		{"words", "one two three four", 6, []string{"one two", "three four"}},
		{"one_word", strings.Repeat("a", 9), 2, []string{"aaaa", "aaaa", "a"}},
		{"numbers", "12 34 56", 6, []string{"12 34", "56"}},
		{"japanese", "はい。いいえ。", 12, []string{"はい。", "いいえ。"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := split(row.text, row.limit); !slices.Equal(got, row.want) {
				t.Errorf("split(%q, %d) = %q, want %q", row.text, row.limit, got, row.want)
			}
		})
	}
}

// TestSplitLosesNothing splits any text.
func TestSplitLosesNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.String().Draw(r, "text") + rapid.StringMatching(`([A-Za-z0-9,.!? ]{0,80}\n?)*`).Draw(r, "more")
		limit := rapid.IntRange(5, 60).Draw(r, "limit")
		pieces := split(text, limit)
		for _, p := range pieces {
			if n := tokens(p); n > limit || p == "" || !utf8.ValidString(p) {
				r.Fatalf("piece %q has %d tokens, want at most %d", p, n, limit)
			}
		}
		bare := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got, want := bare(strings.Join(pieces, "")), bare(text); got != want {
			r.Fatalf("split(%q, %d) = %q: something is lost", text, limit, pieces)
		}
	})
}

// TestHistory keeps the newest that a session may begin with.
func TestHistory(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var all []llm.Message
		for i := range rapid.IntRange(0, 200).Draw(r, "messages") {
			role := rapid.SampledFrom([]llm.Role{llm.RoleUser, llm.RoleAssistant, llm.RoleTool}).Draw(r, "role")
			all = append(all, llm.Message{Role: role, Content: fmt.Sprint(i, strings.Repeat(" word", rapid.IntRange(0, 100).Draw(r, "words")))})
		}
		items := initialItems(all)
		raw, err := json.Marshal(items)
		if err != nil {
			r.Fatal(err)
		}
		if len(items) > maxHistory || len(raw)/4 > 8192+40*len(items)/4 {
			r.Fatalf("%d messages of %d bytes", len(items), len(raw))
		}
		kept := slices.DeleteFunc(all, func(m llm.Message) bool { return m.Role == llm.RoleTool })
		if len(kept) > 0 && len(items) == 0 {
			r.Fatal("nothing is kept")
		}
		if len(items) > 0 && !strings.Contains(string(raw), kept[len(kept)-1].Content) {
			r.Fatal("the newest is not kept")
		}
	})
}

// FuzzTake takes any message: no panic, and nothing without a bound.
func FuzzTake(f *testing.F) {
	sound := base64.StdEncoding.EncodeToString([]byte{0, 100, 1})
	for _, seed := range []string{
		`{"type":"session.output_audio.delta","delta":"` + sound + `"}`,
		`{"type":"session.output_transcript.delta","delta":"Aye.\u001b[31m","start_ms":1,"end_ms":2}`,
		`{"type":"session.input_transcript.delta","delta":"What?"}`,
		`{"type":"session.delegation.created","delegation":{"id":"d","target":"client"}}`,
		`{"type":"session.usage.updated","usage":{"seconds":1e400}}`,
		`{"type":"session.usage.updated","usage":{"seconds":-1}}`,
		`{"type":"session.closed","reason":"content","usage":{"seconds":3}}`,
		`{"type":"error","error":{"code":"insufficient_quota","message":"sk-1234567890"}}`,
		`{"type":"error","error":null}`, `[]`, `null`, `{"type":7}`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := &session{provider: New("key", nil), feed: newFeed(defaultLead), started: -1, ended: make(chan struct{})}
		for range 2 {
			for _, e := range s.take(raw, time.Unix(1, 0)) {
				switch e := e.(type) {
				case s2s.Audio:
					if len(e.Samples) == 0 || len(e.Samples) > len(raw) {
						t.Errorf("%d samples of %d bytes", len(e.Samples), len(raw))
					}
				case s2s.OutputTranscript:
					if utf8.RuneCountInString(e.Text) > maxText || strings.ContainsRune(e.Text, 0x1b) {
						t.Errorf("transcript %q", e.Text)
					}
				case s2s.Delegated:
					if e.ID == "" || len(e.ID) > maxID {
						t.Errorf("delegation %q", e.ID)
					}
				case s2s.Usage:
					if !(e.AudioSeconds > 0) || math.IsInf(e.AudioSeconds, 0) {
						t.Errorf("%v seconds", e.AudioSeconds)
					}
				case s2s.Failed:
					if e.Err == nil {
						t.Error("a failure without an error")
					}
				}
			}
		}
	})
}

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

// feedPlay plays a feed in simulated time.
type feedPlay struct {
	t     *testing.T
	f     *feed
	begun time.Time
	now   time.Time
	buf   [piece]int16
	log   []string // everything but silence
	sent  int
}

func newFeedPlay(t *testing.T) *feedPlay {
	begun := time.Unix(1000, 0)
	return &feedPlay{t: t, f: newFeed(), begun: begun, now: begun}
}

// until advances time to an instant, as the feed requests. back is the service's response
// to each piece it receives.
func (p *feedPlay) until(instant time.Duration, back func(samples int)) {
	for p.now.Sub(p.begun) < instant {
		o := p.f.next(p.now, p.buf[:])
		at := p.now.Sub(p.begun).Round(time.Millisecond)
		switch {
		case o.mute:
			p.log = append(p.log, fmt.Sprintf("mute at %v", at))
		case o.unmute:
			p.log = append(p.log, fmt.Sprintf("unmute at %v", at))
		case len(o.samples) > 0:
			p.sent += len(o.samples)
			if back != nil {
				back(len(o.samples))
			}
			if o.samples[0] != 0 {
				p.log = append(p.log, fmt.Sprintf("%v of sound at %v", audio.Duration(len(o.samples), rate), at))
			}
		case o.wait <= 0:
			p.t.Fatalf("nothing to do and no time to wait at %v", at)
		default:
			p.now = p.now.Add(min(o.wait, instant-p.now.Sub(p.begun)))
		}
	}
}

// speak plays a turn of length d.
func (p *feedPlay) speak(d time.Duration) {
	p.f.setTurn(true)
	p.f.add(slices.Repeat([]int16{1}, int(d.Seconds()*rate)), p.now)
	p.f.setTurn(false)
}

func (p *feedPlay) passed() time.Duration { return audio.Duration(p.sent, rate) }

func (p *feedPlay) want(want ...string) {
	p.t.Helper()
	if !slices.Equal(p.log, want) {
		p.t.Errorf("the feed sent\n%s\nwant\n%s", strings.Join(p.log, "\n"), strings.Join(want, "\n"))
	}
}

// TestFeedKeepsTime checks when sound is sent to a service that hears in real time or
// reports no progress: silence in real time, and after a turn's sound only once as much
// time has passed.
func TestFeedKeepsTime(t *testing.T) {
	p := newFeedPlay(t)
	p.until(time.Second, nil)
	if got := p.passed(); got != time.Second-100*time.Millisecond {
		t.Errorf("%v of silence in a second, want all but the piece that is not over", got)
	}
	p.speak(300 * time.Millisecond)
	p.until(4*time.Second, nil)
	if got := p.passed(); got < 3800*time.Millisecond || got > 4*time.Second {
		t.Errorf("%v sent in 4 s", got)
	}
	p.f.setTurn(true)
	p.f.add([]int16{1, 1}, p.now)
	p.until(5*time.Second, nil) // the turn is open without speech
	p.f.setTurn(false)
	p.until(6*time.Second, nil)
	p.want("mute at 0s",
		"unmute at 1s", "100ms of sound at 1s", "100ms of sound at 1s", "100ms of sound at 1s", "mute at 1.5s",
		"unmute at 4s", "83.333µs of sound at 4s", "mute at 5s")
	if got := p.passed(); got < 5800*time.Millisecond || got > 6*time.Second {
		t.Errorf("%v sent in 6 s", got)
	}
}

// TestFeedFollowsAFastService checks that silence follows a turn at once if the service
// has already heard the turn, because the service then waits for the silence.
func TestFeedFollowsAFastService(t *testing.T) {
	p := newFeedPlay(t)
	p.until(time.Second, p.f.recordOutput)
	p.speak(3 * time.Second)
	p.until(1500*time.Millisecond, p.f.recordOutput)
	if got := p.passed(); got < 4300*time.Millisecond || got > 4500*time.Millisecond {
		t.Errorf("%v sent in 1.5 s, want 3 s more than that", got)
	}
	if last := p.log[len(p.log)-1]; last != "mute at 1.3s" {
		t.Errorf("%q at last, want the mute after the turn", last)
	}
}

// TestFeedIsNotTooFarAhead checks that long sound is sent no faster than allowed.
func TestFeedIsNotTooFarAhead(t *testing.T) {
	p := newFeedPlay(t)
	p.speak(20 * time.Second)
	p.until(time.Second, nil)
	if got := p.passed(); got < lead || got > lead+time.Second+100*time.Millisecond {
		t.Errorf("%v sent in a second, want %v ahead at most", got, lead)
	}
}

// TestFeedForgetsASuspension checks that a machine does not send the missed minutes after
// it slept.
func TestFeedForgetsASuspension(t *testing.T) {
	p := newFeedPlay(t)
	p.until(time.Second, nil)
	p.now = p.now.Add(time.Hour)
	p.until(time.Hour+1100*time.Millisecond, nil)
	if got := p.passed(); got > asleep+time.Second {
		t.Errorf("%v of silence sent", got)
	}
}

// TestFeedIsBounded checks that the oldest sound is dropped if it is not read.
func TestFeedIsBounded(t *testing.T) {
	f := newFeed()
	now := time.Unix(0, 0)
	f.add(make([]int16, maxQueued), now)
	f.add([]int16{7}, now)
	if len(f.queue) != maxQueued || f.queue[maxQueued-1] != 7 {
		t.Errorf("%d samples wait, the last is %d", len(f.queue), f.queue[len(f.queue)-1])
	}
}

// TestGate checks which parts of the service's sound are speech.
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
		{100 * time.Millisecond, quiet, piece},
		{100 * time.Millisecond, loud, piece}, // after a pause within a run
		{0, quiet, piece},
		{0, quiet, piece},
		{0, quiet, 0}, // arrives faster than it plays
		{0, late, piece/2 + onset},
		{340 * time.Millisecond, late, piece},           // arrives late
		{360 * time.Millisecond, late, piece/2 + onset}, // silence is left out
		{360 * time.Millisecond, quiet, 0},
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

// TestSplit checks that text is split at sentences, else at words, else anywhere.
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

// TestHistory checks that the newest messages that fit are kept.
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

// FuzzTake checks that no message causes a panic or unbounded growth.
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
		s := &session{provider: New("key", nil), feed: newFeed(), started: -1, ended: make(chan struct{})}
		for range 2 {
			for _, e := range s.handleMessage(raw, time.Unix(1, 0)) {
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

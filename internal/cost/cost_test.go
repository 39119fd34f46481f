package cost_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/MrWong99/glyphoxa/internal/cost"
)

// rate is a price per million.
func rate(x float64) *cost.Amount {
	a := cost.PerMillion(x)
	return &a
}

// minute is a price per minute.
func minute(x float64) *cost.Amount {
	a := cost.Units(x)
	return &a
}

// listed are made-up prices.
var listed = []cost.Price{
	{Provider: "chat", Input: rate(0.15), Output: rate(0.6), Cached: rate(0.075)},
	{Provider: "chat*", Input: rate(100), Output: rate(100)},
	{Provider: "chat large*", Input: rate(2), Output: rate(8)},
	{Provider: "speech", Input: rate(4), Output: rate(16), AudioInput: rate(32), AudioOutput: rate(64), Cached: rate(0.4)},
	{Provider: "voice", Character: rate(15)},
	{Provider: "timed voice", Minute: minute(0.015)},
	{Provider: "ear", Minute: minute(0.0043)},
	{Provider: "free", Input: rate(0), Output: rate(0)},
}

func TestCharging(t *testing.T) {
	for _, tt := range []struct {
		name, provider string
		used           cost.Usage
		want           string // in units, as JSON
		unpriced       bool
	}{
		{"tokens", "chat", cost.Usage{Input: 1000, Output: 100}, "0.00021", false},
		{"one_token", "chat", cost.Usage{Input: 1}, "0.00000015", false},
		{"cached_tokens", "chat", cost.Usage{Input: 1000, Cached: 400}, "0.00012", false},
		{"more_cached_than_sent", "chat", cost.Usage{Input: 10, Cached: 400}, "0.00000075", false},
		{"longest_beginning", "chat large 2", cost.Usage{Input: 1_000_000}, "2", false},
		{"shorter_beginning", "chat small", cost.Usage{Input: 1_000_000}, "100", false},
		{"cached_without_a_rate_costs_the_same", "chat large", cost.Usage{Input: 1_000_000, Cached: 500_000}, "2", false},
		{"speech", "speech", cost.Usage{Input: 100, AudioInput: 1000, Output: 10, AudioOutput: 500, Cached: 300}, "0.05788", false},
		{"characters", "voice", cost.Usage{Characters: 200, Spoken: time.Minute}, "0.003", false},
		{"time_spoken", "timed voice", cost.Usage{Characters: 200, Spoken: 20 * time.Second}, "0.005", false},
		{"time_heard", "ear", cost.Usage{Heard: 90 * time.Second}, "0.00645", false},
		{"a_third_of_a_minute_is_rounded", "ear", cost.Usage{Heard: time.Second}, "0.000071666667", false},
		{"free", "free", cost.Usage{Input: 5, Output: 5}, "0", false},
		{"nobody_knows", "unlisted", cost.Usage{Input: 5}, "0", true},
		{"other_rates_alone", "voice", cost.Usage{Input: 5}, "0", true},
		{"one_kind_of_token_alone", "chat", cost.Usage{Input: 1000, AudioInput: 9}, "0.00015", true},
		{"negative", "chat", cost.Usage{Input: -5, Output: 10, Cached: -3, Heard: -time.Hour}, "0.000006", false},
		{"beyond_counting", "chat small", cost.Usage{Input: math.MaxInt64, Output: math.MaxInt64}, "9223372.036854775807", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := cost.NewMeter(cost.Options{Prices: listed})
			a := m.Account("Mira")
			a.Charge(tt.provider, tt.used)
			raw, err := json.Marshal(a.Sum().Amount)
			if err != nil {
				t.Fatal(err)
			}
			if string(raw) != tt.want || a.Sum().Unpriced != tt.unpriced {
				t.Errorf("cost %s, unpriced %v; want %s, %v", raw, a.Sum().Unpriced, tt.want, tt.unpriced)
			}
		})
	}
}

func TestAmounts(t *testing.T) {
	for _, tt := range []struct {
		in   float64
		want cost.Amount
	}{{0.1, 1e11}, {1e-12, 1}, {4e-13, 0}, {-1, 0}, {math.NaN(), 0}, {math.Inf(1), math.MaxInt64}, {1e300, math.MaxInt64}} {
		if got := cost.Units(tt.in); got != tt.want {
			t.Errorf("Units(%v) = %d, want %d", tt.in, got, tt.want)
		}
	}
	for _, tt := range []struct {
		in   cost.Amount
		want string
	}{{0, "0.0000 EUR"}, {1, "less than 0.0001 EUR"}, {1e8, "0.0001 EUR"}, {1_234_567_890_000, "1.2346 EUR"}} {
		if got := tt.in.In("EUR"); got != tt.want {
			t.Errorf("%d is %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestLevels(t *testing.T) {
	unit := []cost.Price{{Provider: "p", Input: rate(1e6)}} // one unit per token
	for _, tt := range []struct {
		name       string
		soft, hard float64
		cheaper    bool
		want       []cost.Level // after each token, from the first level
	}{
		{"no_caps", 0, 0, true, []cost.Level{cost.Within, cost.Within, cost.Within}},
		{"soft_alone", 1, 0, true, []cost.Level{cost.Within, cost.Noticed, cost.Noticed}},
		{"hard_alone", 0, 1, false, []cost.Level{cost.Within, cost.LinesOnly, cost.LinesOnly}},
		{"both", 1, 2, false, []cost.Level{cost.Within, cost.Noticed, cost.LinesOnly}},
		{"a_tenth_more_with_a_cheaper_engine", 5, 10, true, []cost.Level{
			cost.Within, cost.Within, cost.Within, cost.Within, cost.Within, cost.Noticed, cost.Noticed, cost.Noticed,
			cost.Noticed, cost.Noticed, cost.Cheaper, cost.LinesOnly,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := cost.NewMeter(cost.Options{Prices: unit, SoftCap: cost.Units(tt.soft), HardCap: cost.Units(tt.hard), HasCheaper: tt.cheaper})
			for i, want := range tt.want {
				if i > 0 {
					m.Account("").Charge("p", cost.Usage{Input: 1})
				}
				if got, reported := m.Level(), m.Report().Level; got != want || reported != want {
					t.Errorf("after %d tokens: %v, reported %v; want %v", i, got, reported, want)
				}
			}
		})
	}
}

func TestNothingIsCountedWithoutAMeter(t *testing.T) {
	var m *cost.Meter
	a := m.Account("Mira")
	a.Charge("p", cost.Usage{Input: 1})
	if a != nil || a.Sum() != (cost.Sum{}) || m.Level() != cost.Within || m.Uncounted() != nil {
		t.Errorf("a nil meter counts: %v, %v", a, m.Level())
	}
	if diff := cmp.Diff(cost.Report{}, m.Report()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	cost.AccountOf(cost.WithAccount(t.Context(), a)).Charge("p", cost.Usage{Input: 1})
	cost.AccountOf(t.Context()).Charge("p", cost.Usage{Input: 1})
}

// charge is one charged usage.
type charge struct {
	npc, provider string
	used          cost.Usage
}

// charges draws usages of a few NPCs and providers.
func charges(t *rapid.T) []charge {
	count := rapid.Int64Range(-3, 1e7)
	return rapid.SliceOf(rapid.Custom(func(t *rapid.T) charge {
		return charge{
			npc:      rapid.SampledFrom([]string{"", "Mira", "Bartok", "Juniper"}).Draw(t, "npc"),
			provider: rapid.SampledFrom([]string{"chat", "chat small", "speech", "voice", "timed voice", "ear", "free", "unlisted"}).Draw(t, "provider"),
			used: cost.Usage{
				Input: count.Draw(t, "input"), Output: count.Draw(t, "output"), AudioInput: count.Draw(t, "audio input"),
				AudioOutput: count.Draw(t, "audio output"), Cached: count.Draw(t, "cached"), Estimated: count.Draw(t, "estimated"),
				Heard: time.Duration(count.Draw(t, "heard")) * time.Microsecond, Spoken: time.Duration(count.Draw(t, "spoken")) * 7,
				Characters: count.Draw(t, "characters"),
			},
		}
	})).Draw(t, "charges")
}

// chargeAll charges a fresh meter and returns its report. Each charge uses its own
// account or a shared account of its NPC.
func chargeAll(all []charge, together bool) (cost.Report, []cost.Sum) {
	m := cost.NewMeter(cost.Options{Currency: "EUR", Prices: listed, SoftCap: 1})
	shared := map[string]*cost.Account{}
	var sums []cost.Sum
	for _, c := range all {
		a := m.Account(c.npc)
		if together {
			if shared[c.npc] == nil {
				shared[c.npc] = a
			}
			a = shared[c.npc]
		}
		a.Charge(c.provider, c.used)
		sums = append(sums, a.Sum())
	}
	return m.Report(), sums
}

// sum adds up entries independently of the meter.
func sum(entries []cost.Entry) (s cost.Sum) {
	for _, e := range entries {
		s.Input += e.Input
		s.Output += e.Output
		s.AudioInput += e.AudioInput
		s.AudioOutput += e.AudioOutput
		s.Cached += e.Cached
		s.Estimated += e.Estimated
		s.Heard += e.Heard
		s.Spoken += e.Spoken
		s.Characters += e.Characters
		s.Amount += e.Amount
		s.Unpriced = s.Unpriced || e.Unpriced
	}
	return s
}

func TestSumsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := charges(t)
		r, single := chargeAll(all, false)
		if got := sum(r.NPCs); got != r.Total {
			t.Errorf("by NPC %+v, in total %+v", got, r.Total)
		}
		if got := sum(r.Providers); got != r.Total {
			t.Errorf("by provider %+v, in total %+v", got, r.Total)
		}
		var accounts []cost.Entry
		for _, s := range single {
			accounts = append(accounts, cost.Entry{Sum: s})
		}
		if got := sum(accounts); got != r.Total {
			t.Errorf("by account %+v, in total %+v", got, r.Total)
		}
		order := rapid.Permutation(all).Draw(t, "order")
		other, _ := chargeAll(order, true)
		if diff := cmp.Diff(r, other); diff != "" {
			t.Errorf("another order makes another account (-want +got):\n%s", diff)
		}
	})
}

func TestManyChargeAtOnce(t *testing.T) {
	var told sync.Map // provider to *cost.Usage; one goroutine charges each
	m := cost.NewMeter(cost.Options{Prices: listed, Charged: func(provider string, u cost.Usage, a cost.Amount) {
		v, _ := told.LoadOrStore(provider, &cost.Sum{})
		s := v.(*cost.Sum)
		s.Input, s.Amount = s.Input+u.Input, s.Amount+a
	}})
	var work sync.WaitGroup
	for i := range 8 {
		work.Go(func() {
			provider := fmt.Sprint("chat ", i)
			for n := range 500 {
				m.Account(fmt.Sprint("NPC ", n%3)).Charge(provider, cost.Usage{Input: 3})
				if n%50 == 0 {
					if r := m.Report(); sum(r.NPCs) != r.Total || sum(r.Providers) != r.Total {
						t.Errorf("sums disagree while others charge: %+v", r)
					}
				}
			}
		})
	}
	work.Wait()
	r := m.Report()
	if r.Total.Input != 8*500*3 || len(r.Providers) != 8 || len(r.NPCs) != 3 {
		t.Errorf("report %+v, want 12,000 tokens of 8 providers and 3 NPCs", r)
	}
	for _, e := range r.Providers {
		v, _ := told.Load(e.Name)
		if got := *v.(*cost.Sum); got.Input != 1500 || got.Amount != e.Amount {
			t.Errorf("%s was told as %+v, want 1500 tokens and %d", e.Name, got, e.Amount)
		}
	}
}

func TestReportInWords(t *testing.T) {
	m := cost.NewMeter(cost.Options{Currency: "EUR", Prices: listed, SoftCap: cost.Units(0.001), HardCap: cost.Units(0.5)})
	if got := m.Report().Lines(); len(got) != 1 || got[0] != "this session has not cost anything so far" {
		t.Errorf("an empty account is %q", got)
	}
	m.Account("Mira").Charge("chat", cost.Usage{Input: 10_000, Output: 1000, Cached: 2000, Estimated: 100})
	m.Account("Mira").Charge("voice", cost.Usage{Characters: 200, Spoken: 12500 * time.Millisecond})
	m.Account("").Charge("ear x", cost.Usage{Heard: 90 * time.Second})
	want := []string{
		"this session has cost 0.0050 EUR, not counting what has no price, first limit 0.0010 EUR, limit 0.5000 EUR",
		"hearing, and everything else that belongs to no NPC: an unknown amount, because there is no price (90.0 s heard)",
		"Mira: 0.0050 EUR (10000 tokens in, 2000 of them cached, 1000 tokens out, 100 of all tokens estimated, 200 characters, 12.5 s spoken)",
		"chat: 0.0020 EUR (10000 tokens in, 2000 of them cached, 1000 tokens out, 100 of all tokens estimated)",
		"ear x: an unknown amount, because there is no price (90.0 s heard); set its price under cost.prices",
		"voice: 0.0030 EUR (200 characters, 12.5 s spoken)",
	}
	if diff := cmp.Diff(want, m.Report().Lines()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if got := m.Uncounted(); !slices.Equal(got, []string{"ear x"}) {
		t.Errorf("uncounted %q, want ear x", got)
	}
	m.Account("Mira").Charge("chat large", cost.Usage{Input: 1_000_000})
	if got := m.Report().Headline(); !strings.HasSuffix(got, "; the NPCs only use prepared lines") {
		t.Errorf("headline %q does not say what the hard cap did", got)
	}
}

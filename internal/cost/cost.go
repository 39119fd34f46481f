// Package cost counts what a session takes of its providers, by NPC and by
// provider, and prices it: tokens, characters, and the time of sound. Whoever
// calls a provider charges the [Account] in its context, so that the provider that
// really answered is charged, also for an answer that nobody waited for.
//
// Sums are exact: amounts are whole numbers. It does no I/O and starts no
// goroutine.
//
// It also knows how long the stages of turns really take ([Governor], files pace*.go), and decides what to do
// when the next turn would be late. That part uses no clock, no I/O and no goroutine: the owner measures,
// records and asks. It keeps the last [Window] turns of each tier and nothing else.
package cost

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Usage is what was taken of a provider. What is below 0 counts as 0.
type Usage struct {
	// Input and Output are text tokens.
	Input, Output int64
	// AudioInput and AudioOutput are tokens of sound.
	AudioInput, AudioOutput int64
	// Cached is how many of the tokens of Input and AudioInput the provider had kept
	// from an earlier request.
	Cached int64
	// Estimated is how many of all tokens nobody told, so that they were estimated
	// from the text.
	Estimated int64
	// Heard is sound that was sent to a provider, Spoken sound that came from it.
	Heard, Spoken time.Duration
	// Characters were spoken.
	Characters int64
}

// bytesPerToken is how much text a token is taken to be where nobody counts.
const bytesPerToken = 4

// EstimateTokens returns how many tokens a text of so many bytes may be.
func EstimateTokens(bytes int) int64 { return int64(max(bytes, 0)+bytesPerToken-1) / bytesPerToken }

// clamped is u without what cannot be.
func (u Usage) clamped() Usage {
	for _, n := range []*int64{&u.Input, &u.Output, &u.AudioInput, &u.AudioOutput, &u.Cached, &u.Estimated, &u.Characters} {
		*n = max(*n, 0)
	}
	u.Heard, u.Spoken = max(u.Heard, 0), max(u.Spoken, 0)
	u.Cached = min(u.Cached, addCapped(u.Input, u.AudioInput))
	return u
}

// add returns what u and v are together. Both are clamped.
func (u Usage) add(v Usage) Usage {
	return Usage{
		Input: addCapped(u.Input, v.Input), Output: addCapped(u.Output, v.Output),
		AudioInput: addCapped(u.AudioInput, v.AudioInput), AudioOutput: addCapped(u.AudioOutput, v.AudioOutput),
		Cached: addCapped(u.Cached, v.Cached), Estimated: addCapped(u.Estimated, v.Estimated),
		Heard: addCapped(u.Heard, v.Heard), Spoken: addCapped(u.Spoken, v.Spoken),
		Characters: addCapped(u.Characters, v.Characters),
	}
}

// InputTokens are the tokens of text and sound that were sent, OutputTokens those
// that came.
func (u Usage) InputTokens() int64  { return addCapped(u.Input, u.AudioInput) }
func (u Usage) OutputTokens() int64 { return addCapped(u.Output, u.AudioOutput) }

// String puts u into words; what there is nothing of is left out.
func (u Usage) String() string {
	var parts []string
	count := func(n int64, what string) {
		if n > 0 {
			parts = append(parts, strconv.FormatInt(n, 10)+" "+what)
		}
	}
	count(u.InputTokens(), "tokens in")
	count(u.Cached, "of them cached")
	count(u.OutputTokens(), "tokens out")
	count(u.Estimated, "of all tokens estimated")
	count(u.Characters, "characters")
	for _, s := range []struct {
		d    time.Duration
		what string
	}{{u.Heard, "heard"}, {u.Spoken, "spoken"}} {
		if s.d > 0 {
			parts = append(parts, fmt.Sprintf("%.1f s %s", s.d.Seconds(), s.what))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// Amount is a sum of money in millionths of a millionth of the currency's unit.
type Amount int64

// unit is one of the currency's units.
const unit Amount = 1e12

// most is the largest Amount, as which larger ones count.
const most Amount = math.MaxInt64

// Units returns an amount of so many units, PerMillion one of so many units for a
// million. What is below 0 or no number is 0; a larger fraction of a unit than an
// amount holds is rounded.
func Units(x float64) Amount      { return amountOf(x * float64(unit)) }
func PerMillion(x float64) Amount { return amountOf(x * float64(unit/1e6)) }

func amountOf(pico float64) Amount {
	switch {
	case !(pico > 0):
		return 0
	case pico >= float64(most):
		return most
	}
	return Amount(math.Round(pico))
}

// Units is the amount in units, which a float may not hold exactly.
func (a Amount) Units() float64 { return float64(a) / float64(unit) }

// MarshalJSON writes the amount in units, exactly.
func (a Amount) MarshalJSON() ([]byte, error) {
	text := fmt.Sprintf("%d.%012d", a/unit, max(a, 0)%unit)
	return []byte(strings.TrimRight(strings.TrimRight(text, "0"), ".")), nil
}

// In puts the amount into words, to a ten-thousandth of a unit.
func (a Amount) In(currency string) string {
	const step = unit / 10_000
	if a > 0 && a < step {
		return "less than 0.0001 " + currency
	}
	rounded := (a - a%step) / step
	if a%step >= step/2 {
		rounded++
	}
	return fmt.Sprintf("%d.%04d %s", rounded/10_000, rounded%10_000, currency)
}

// addCapped adds numbers that are not negative; beyond the largest it stays there.
func addCapped[T ~int64](a, b T) T {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// share returns a·n/of, rounded, of numbers that are not negative; of is positive.
func share(a Amount, n, of int64) Amount {
	hi, lo := bits.Mul64(uint64(a), uint64(n))
	lo, carry := bits.Add64(lo, uint64(of)/2, 0)
	hi += carry
	if hi >= uint64(of) {
		return most
	}
	q, _ := bits.Div64(hi, lo, uint64(of))
	return Amount(min(q, uint64(most)))
}

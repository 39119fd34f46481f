// Package cost counts a session's use of its providers by NPC and by provider, and prices it: tokens,
// characters, and the duration of sound. Calls to a provider are charged to the [Account] in their context,
// so that the provider that answered is charged, even if its answer is not used. For example:
//
//	meter := cost.NewMeter(cost.Options{Currency: "USD", Prices: prices})
//	ctx = cost.WithAccount(ctx, meter.Account("bartok"))
//	total := meter.Report().Total
//
// Sums are exact, because amounts are whole numbers. The package does no I/O and starts no goroutine.
//
// [Governor] (files pace*.go) records how long the stages of turns take, and decides what to do if the next
// turn would be late. It uses no clock, I/O or goroutine: its owner measures, records and asks. It keeps only
// the last [Window] turns of each tier.
package cost

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// Usage is the use of a provider. Negative values count as 0.
type Usage struct {
	// Input and Output are text tokens.
	Input, Output int64
	// AudioInput and AudioOutput are audio tokens.
	AudioInput, AudioOutput int64
	// Cached is the part of Input and AudioInput that the provider had cached from an earlier request.
	Cached int64
	// Estimated is the part of all tokens that was estimated from the text, because the provider did not
	// report it.
	Estimated int64
	// Heard is sound sent to a provider, Spoken sound received from it.
	Heard, Spoken time.Duration
	// Characters is the length of spoken text.
	Characters int64
}

// bytesPerToken is the estimated length of a token, where it is not reported.
const bytesPerToken = 4

// EstimateTokens estimates the tokens of a text from its length in bytes.
func EstimateTokens(bytes int) int64 { return int64(max(bytes, 0)+bytesPerToken-1) / bytesPerToken }

// clamped returns u with impossible values corrected.
func (u Usage) clamped() Usage {
	for _, n := range []*int64{&u.Input, &u.Output, &u.AudioInput, &u.AudioOutput, &u.Cached, &u.Estimated, &u.Characters} {
		*n = max(*n, 0)
	}
	u.Heard, u.Spoken = max(u.Heard, 0), max(u.Spoken, 0)
	u.Cached = min(u.Cached, addCapped(u.Input, u.AudioInput))
	return u
}

// add returns the sum of u and v, which must be clamped.
func (u Usage) add(v Usage) Usage {
	return Usage{
		Input: addCapped(u.Input, v.Input), Output: addCapped(u.Output, v.Output),
		AudioInput: addCapped(u.AudioInput, v.AudioInput), AudioOutput: addCapped(u.AudioOutput, v.AudioOutput),
		Cached: addCapped(u.Cached, v.Cached), Estimated: addCapped(u.Estimated, v.Estimated),
		Heard: addCapped(u.Heard, v.Heard), Spoken: addCapped(u.Spoken, v.Spoken),
		Characters: addCapped(u.Characters, v.Characters),
	}
}

// InputTokens returns the text and audio tokens that were sent, OutputTokens those that were received.
func (u Usage) InputTokens() int64  { return addCapped(u.Input, u.AudioInput) }
func (u Usage) OutputTokens() int64 { return addCapped(u.Output, u.AudioOutput) }

// String describes u in words, without its zero values.
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

// Amount is a sum of money in 10⁻¹² of the currency's unit.
type Amount int64

// unit is one unit of the currency.
const unit Amount = 1e12

// most is the largest Amount; larger sums are capped to it.
const most Amount = math.MaxInt64

// Units returns an amount of x units, PerMillion one of x units per million. Negative numbers and NaN give 0.
// Fractions are rounded to the precision of Amount.
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

// Units returns the amount in units, rounded to a float64.
func (a Amount) Units() float64 { return float64(a) / float64(unit) }

// MarshalJSON encodes the amount in units, exactly.
func (a Amount) MarshalJSON() ([]byte, error) {
	text := fmt.Sprintf("%d.%012d", a/unit, max(a, 0)%unit)
	return []byte(strings.TrimRight(strings.TrimRight(text, "0"), ".")), nil
}

// In formats the amount to a ten-thousandth of a unit.
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

// addCapped adds non-negative numbers. A sum that would overflow is capped.
func addCapped[T ~int64](a, b T) T {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// share returns a·n/of, rounded. a and n must not be negative, and of must be positive.
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

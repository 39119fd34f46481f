package cost

import (
	"strings"
	"time"
)

// Price is what a provider takes. A rate that is nil is not known, which is not the
// same as 0.
type Price struct {
	// Provider is a provider's name, such as "openai gpt-4o-mini", or how names begin
	// and a star: "openai gpt-4o*".
	Provider string
	// Input and Output are for one text token, AudioInput and AudioOutput for one of
	// sound, Cached for one of the input that the provider had kept; if nil, that
	// costs what others do.
	Input, Output, AudioInput, AudioOutput, Cached *Amount
	// Minute is for a minute of sound, whichever way it goes.
	Minute *Amount
	// Character is for one that is spoken.
	Character *Amount
}

// find returns the price of a provider, nil if there is none: the one with its
// name, else the one whose beginning is longest.
func find(prices []Price, provider string) *Price {
	var best *Price
	for i := range prices {
		p := &prices[i]
		if p.Provider == provider {
			return p
		}
		prefix, starred := strings.CutSuffix(p.Provider, "*")
		if starred && strings.HasPrefix(provider, prefix) && (best == nil || len(p.Provider) > len(best.Provider)) {
			best = p
		}
	}
	return best
}

// charge returns what u costs, and whether that is all of it: whether a rate is
// known for something that providers charge by, be it tokens, minutes or
// characters. A nil p knows none.
func (p *Price) charge(u Usage) (a Amount, known bool) {
	if p == nil {
		return 0, u == Usage{}
	}
	sound := addCapped(u.Heard, u.Spoken)
	known = p.Minute != nil && sound > 0 || p.Character != nil && u.Characters > 0 || p.coversTokens(u)
	cachedText := min(u.Cached, u.Input)
	for _, part := range []struct {
		rate *Amount
		n    int64
	}{
		{p.Input, u.Input - cachedText}, {p.cachedRate(p.Input), cachedText},
		{p.AudioInput, u.AudioInput - (u.Cached - cachedText)}, {p.cachedRate(p.AudioInput), u.Cached - cachedText},
		{p.Output, u.Output}, {p.AudioOutput, u.AudioOutput}, {p.Character, u.Characters},
	} {
		if part.rate != nil {
			a = addCapped(a, share(*part.rate, part.n, 1))
		}
	}
	if p.Minute != nil {
		a = addCapped(a, share(*p.Minute, int64(sound), int64(time.Minute)))
	}
	return a, known || u == Usage{}
}

// cachedRate is the rate of input that was kept.
func (p *Price) cachedRate(input *Amount) *Amount {
	if p.Cached != nil {
		return p.Cached
	}
	return input
}

// coversTokens reports whether there are tokens, and a rate for each kind of them.
func (p *Price) coversTokens(u Usage) bool {
	covered := false
	for _, part := range []struct {
		rate *Amount
		n    int64
	}{{p.Input, u.Input}, {p.Output, u.Output}, {p.AudioInput, u.AudioInput}, {p.AudioOutput, u.AudioOutput}} {
		if part.n > 0 && part.rate == nil {
			return false
		}
		covered = covered || part.n > 0
	}
	return covered
}

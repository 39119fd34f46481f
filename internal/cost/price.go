package cost

import (
	"strings"
	"time"
)

// Price has the rates of a provider. A nil rate is unknown, which differs from 0.
type Price struct {
	// Provider is a provider's name, such as "openai gpt-4o-mini", or a prefix with a star, such as "openai
	// gpt-4o*".
	Provider string
	// Input and Output are the rates per text token, AudioInput and AudioOutput per audio token, and Cached
	// per cached input token; if Cached is nil, these cost the normal rate.
	Input, Output, AudioInput, AudioOutput, Cached *Amount
	// Minute is the rate per minute of sound, in either direction.
	Minute *Amount
	// Character is the rate per spoken character.
	Character *Amount
}

// find returns the price of a provider: the one with its name, else the one with the longest matching prefix,
// else nil.
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

// charge returns the cost of u, and whether it is complete: a rate is known for a unit that the provider
// charges by, which is tokens, minutes or characters. A nil p knows no rates.
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

// cachedRate returns the rate of cached input.
func (p *Price) cachedRate(input *Amount) *Amount {
	if p.Cached != nil {
		return p.Cached
	}
	return input
}

// coversTokens reports whether u has tokens, and all of their rates are known.
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

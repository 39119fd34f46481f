package play

import (
	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/cost"
)

// newMeter returns a meter for a session. hasCheaper is as in [cost.Options].
func (g *Game) newMeter(hasCheaper bool) *cost.Meter {
	c := &g.Config.Cost
	o := cost.Options{
		Currency: c.Currency, Prices: prices(c.Prices),
		SoftCap: cost.Units(c.SoftCap), HardCap: cost.Units(c.HardCap), HasCheaper: hasCheaper,
	}
	if m := g.Metrics; m != nil {
		o.Charged = func(provider string, u cost.Usage, a cost.Amount) { m.Spent(provider, u, a, c.Currency) }
	}
	return cost.NewMeter(o)
}

// prices converts the configuration's prices, which are per million, to prices for a single unit.
func prices(all []config.Price) (out []cost.Price) {
	rate := func(x *float64, of func(float64) cost.Amount) *cost.Amount {
		if x == nil {
			return nil
		}
		a := of(*x)
		return &a
	}
	for _, p := range all {
		out = append(out, cost.Price{
			Provider: p.Provider,
			Input:    rate(p.Input, cost.PerMillion), Output: rate(p.Output, cost.PerMillion), Cached: rate(p.Cached, cost.PerMillion),
			AudioInput: rate(p.AudioInput, cost.PerMillion), AudioOutput: rate(p.AudioOutput, cost.PerMillion),
			Minute: rate(p.Minute, cost.Units), Character: rate(p.Characters, cost.PerMillion),
		})
	}
	return out
}

// Cost returns the cost of the session since it began or was resumed.
func (s *Session) Cost() cost.Report { return s.meter.Report() }

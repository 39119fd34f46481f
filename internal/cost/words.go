package cost

import "fmt"

// Nobody is the name of the entry without an NPC.
const Nobody = "hearing, and everything else that belongs to no NPC"

// Headline describes the account in one line.
func (r Report) Headline() string {
	if r.Total.Usage == (Usage{}) {
		return "this session has not cost anything so far"
	}
	text := "this session has cost " + r.price(r.Total)
	for _, c := range []struct {
		name string
		at   Amount
	}{{"first limit", r.SoftCap}, {"limit", r.HardCap}} {
		if c.at > 0 {
			text += fmt.Sprintf(", %s %s", c.name, c.at.In(r.Currency))
		}
	}
	switch r.Level {
	case Cheaper:
		text += "; the NPCs give cheaper answers"
	case LinesOnly:
		text += "; the NPCs only use prepared lines"
	}
	return text
}

// Lines describes the account: the headline, and a line for each NPC and each provider.
func (r Report) Lines() []string {
	lines := []string{r.Headline()}
	for _, e := range r.NPCs {
		name := e.Name
		if name == "" {
			name = Nobody
		}
		lines = append(lines, fmt.Sprintf("%s: %s (%s)", name, r.price(e.Sum), e.Usage))
	}
	for _, e := range r.Providers {
		line := fmt.Sprintf("%s: %s (%s)", e.Name, r.price(e.Sum), e.Usage)
		if e.Unpriced {
			line += "; set its price under cost.prices"
		}
		lines = append(lines, line)
	}
	return lines
}

// price describes the cost of a sum.
func (r Report) price(s Sum) string {
	switch {
	case !s.Unpriced:
		return s.Amount.In(r.Currency)
	case s.Amount == 0:
		return "an unknown amount, because there is no price"
	}
	return s.Amount.In(r.Currency) + ", not counting what has no price"
}

// Unpriced returns the providers with unpriced use.
func (r Report) Unpriced() (names []string) {
	for _, e := range r.Providers {
		if e.Unpriced {
			names = append(names, e.Name)
		}
	}
	return names
}

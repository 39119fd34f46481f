package cost

import "fmt"

// Nobody is what an entry by NPC without a name is called.
const Nobody = "hearing, and what else is no NPC's"

// Headline puts the account into one line.
func (r Report) Headline() string {
	if r.Total.Usage == (Usage{}) {
		return "this session has taken nothing that is paid for"
	}
	text := "this session cost " + r.price(r.Total)
	for _, c := range []struct {
		name string
		at   Amount
	}{{"soft cap", r.SoftCap}, {"hard cap", r.HardCap}} {
		if c.at > 0 {
			text += fmt.Sprintf(", %s %s", c.name, c.at.In(r.Currency))
		}
	}
	switch r.Level {
	case Cheaper:
		text += "; the NPCs answer through the cheaper engine"
	case LinesOnly:
		text += "; the NPCs answer with stock phrases"
	}
	return text
}

// Lines puts the account into words: the headline, a line for each NPC and one for
// each provider.
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

// price is what a sum cost, in words.
func (r Report) price(s Sum) string {
	switch {
	case !s.Unpriced:
		return s.Amount.In(r.Currency)
	case s.Amount == 0:
		return "an unknown amount, since there is no price"
	}
	return s.Amount.In(r.Currency) + " and what has no price"
}

// Unpriced names the providers of which something has no price.
func (r Report) Unpriced() (names []string) {
	for _, e := range r.Providers {
		if e.Unpriced {
			names = append(names, e.Name)
		}
	}
	return names
}

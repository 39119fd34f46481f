package config

import (
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// Cost holds the prices of providers and the spending limits of a session. Without prices, usage is counted
// but not priced.
type Cost struct {
	// Currency is the currency of prices and caps. Default USD.
	Currency string  `yaml:"currency" json:"currency" max:"12" doc:"Currency of prices and caps, such as USD or EUR."`
	Prices   []Price `yaml:"prices" json:"prices" doc:"Prices of your providers. For each provider, the most specific entry applies."`
	// SoftCap only triggers a message; HardCap is enforced. If missing or 0, there is no cap.
	SoftCap float64 `yaml:"soft_cap" json:"soft_cap" min:"0" max:"1000000" doc:"Cost of a session at which the table gets a notice; 0 means never."`
	HardCap float64 `yaml:"hard_cap" json:"hard_cap" min:"0" max:"1000000" doc:"Cost of a session from which NPCs answer through a cheaper engine, then with stock phrases; 0 means never."`
}

// Price is the price of one provider. A missing rate is unknown; 0 means free.
type Price struct {
	// Provider is a provider's name as "/cost" shows it, or a prefix of it followed by a star.
	Provider    string   `yaml:"provider" json:"provider" required:"true" max:"200" doc:"Provider and model as /cost shows them, such as openai gpt-4o-mini; a * at the end stands for any text."`
	Input       *float64 `yaml:"input" json:"input" min:"0" max:"1000000" doc:"Price of a million tokens of text sent."`
	Output      *float64 `yaml:"output" json:"output" min:"0" max:"1000000" doc:"Price of a million tokens of text received."`
	Cached      *float64 `yaml:"cached" json:"cached" min:"0" max:"1000000" doc:"Price of a million sent tokens that the provider had cached. If missing, the price of input."`
	AudioInput  *float64 `yaml:"audio_input" json:"audio_input" min:"0" max:"1000000" doc:"Price of a million tokens of sound sent."`
	AudioOutput *float64 `yaml:"audio_output" json:"audio_output" min:"0" max:"1000000" doc:"Price of a million tokens of sound received."`
	Minute      *float64 `yaml:"minute" json:"minute" min:"0" max:"10000" doc:"Price of a minute of sound, sent or received."`
	Characters  *float64 `yaml:"characters" json:"characters" min:"0" max:"1000000" doc:"Price of a million characters spoken."`
}

// checkCost reports duplicate and incomplete prices, and caps that cannot work.
func (l *loader) checkCost() {
	c, root := &l.cfg.Cost, userfile.Path("cost")
	if strings.TrimSpace(c.Currency) == "" && !l.main.Broken(root.Key("currency")) {
		l.main.AddProblem(root.Key("currency"), "is blank", "write one such as USD, or leave it out")
	}
	seen := map[string]int{}
	for i, p := range c.Prices {
		at := root.Key("prices").Item(i)
		name := at.Key("provider")
		if first, taken := seen[p.Provider]; taken {
			l.main.AddProblem(name, fmt.Sprintf("there is already a price for this provider (line %d)", first), "keep one of them")
		} else if p.Provider != "" {
			seen[p.Provider] = l.main.Line(name)
		}
		if star := strings.IndexByte(p.Provider, '*'); star >= 0 && star < len(p.Provider)-1 {
			l.main.AddProblem(name, l.main.Quote(name, p.Provider)+" has a * before its end", "put one at the end, or none")
		}
		l.checkRates(at, p)
	}
	if c.SoftCap > 0 && c.HardCap > 0 && c.SoftCap >= c.HardCap {
		l.main.AddProblem(root.Key("soft_cap"), "is not below hard_cap", "lower it, or raise hard_cap")
	}
	if len(c.Prices) == 0 && (c.SoftCap > 0 || c.HardCap > 0) && !l.main.Broken(root.Key("prices")) {
		l.addWarning(l.main, root, "caps have no effect without prices", "add prices, or remove the caps")
	}
}

// checkRates reports prices without any rate, and rates that lack their counterpart: a provider that charges
// for tokens in one direction also charges for them in the other.
func (l *loader) checkRates(at userfile.Path, p Price) {
	pair := func(a, b *float64, nameA, nameB string) {
		if (a == nil) == (b == nil) || l.main.Broken(at.Key(nameA)) || l.main.Broken(at.Key(nameB)) {
			return
		}
		given, missing := nameA, nameB
		if a == nil {
			given, missing = nameB, nameA
		}
		l.main.AddProblem(at.Key(given), "stands without "+missing, "add "+missing+"; 0 is free")
	}
	pair(p.Input, p.Output, "input", "output")
	pair(p.AudioInput, p.AudioOutput, "audio_input", "audio_output")
	rates := []*float64{p.Input, p.Output, p.AudioInput, p.AudioOutput, p.Minute, p.Characters}
	for _, r := range rates {
		if r != nil {
			return
		}
	}
	if !l.main.Broken(at) {
		l.main.AddProblem(at, "has no rate", "add input and output, minute or characters")
	}
}

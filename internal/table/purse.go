package table

import (
	"strings"

	"github.com/MrWong99/glyphoxa/internal/cost"
)

// purse opens the accounts of turns and reports passed caps. With a nil meter there are no caps.
type purse struct {
	meter    *cost.Meter
	effects  *effects
	told     cost.Level
	unpriced bool // the notice about costs without a price was sent
}

// openAccount gives a turn its account, unless an earlier attempt has one. Attempts of the same turn share an
// account, which also includes the same NPC's guesses at the turn's words.
func (p *purse) openAccount(tn *turn) {
	if tn.record.account == nil && tn.guesses.wasted.NPC() == tn.to.npc.Name {
		tn.record.account = tn.guesses.wasted
	}
	if tn.record.account == nil {
		tn.record.account = p.meter.Account(tn.to.npc.Name)
	}
}

// mayGuess reports whether the budget allows answers that may be dropped.
func (p *purse) mayGuess() bool { return p.meter.Level() < cost.Cheaper }

// passed describes each level in words. It contains no amounts, because players read it too.
var passed = map[cost.Level]string{
	cost.Noticed:   "the session has passed its first cost limit (cost.soft_cap); nothing changes yet",
	cost.Cheaper:   "the session has reached its cost limit (cost.hard_cap); from now on the NPCs give cheaper answers",
	cost.LinesOnly: "the session has used up its cost limit (cost.hard_cap); from now on the NPCs only use prepared lines",
}

// reportLevel reports a passed cap, once. If there are caps, it also reports once that some costs do not count
// towards them because they have no price.
func (p *purse) reportLevel() {
	level := p.meter.Level()
	if level > p.told {
		p.told = level
		r := p.meter.Report()
		p.effects.emit(0, KindCost, &Cost{
			Level: level.String(), Spent: r.Total.Amount, Currency: r.Currency, SoftCap: r.SoftCap, HardCap: r.HardCap,
		})
		p.effects.notify(0, "warning", passed[level])
	}
	if names := p.meter.Uncounted(); len(names) > 0 && !p.unpriced {
		p.unpriced = true
		p.effects.notify(0, "info", "the cost limits do not count "+strings.Join(names, " and ")+"; set the price under cost.prices")
	}
}

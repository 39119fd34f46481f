package table

import (
	"strings"

	"github.com/MrWong99/glyphoxa/internal/cost"
)

// purse opens the accounts of turns and reports when a cap is passed; with a nil meter none is.
type purse struct {
	meter    *cost.Meter
	effects  *effects
	told     cost.Level
	unpriced bool // it was told that not everything counts
}

// openAccount gives a turn its account, unless an earlier attempt has: what that
// takes yet is the turn's, too, and so is what the same NPC was given of its words
// before they were known.
func (p *purse) openAccount(tn *turn) {
	if tn.record.account == nil && tn.guesses.wasted.NPC() == tn.to.npc.Name {
		tn.record.account = tn.guesses.wasted
	}
	if tn.record.account == nil {
		tn.record.account = p.meter.Account(tn.to.npc.Name)
	}
}

// mayGuess reports whether there is money for answers that may come to nothing.
func (p *purse) mayGuess() bool { return p.meter.Level() < cost.Cheaper }

// passed says of each level what is so from then on. It names no amounts: players
// read it, too.
var passed = map[cost.Level]string{
	cost.Noticed:   "the session has passed cost.soft_cap; nothing changes yet",
	cost.Cheaper:   "the session has reached cost.hard_cap; from now on every NPC answers through the cascaded engine, which costs less",
	cost.LinesOnly: "the session has reached what cost.hard_cap allows; from now on the NPCs answer with their stock phrases, without a model",
}

// reportLevel reports a cap that was passed since the last time, once, and where
// there are caps that something does not count towards them.
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
		p.effects.notify(0, "info", "the caps do not know what "+strings.Join(names, " and ")+" costs; set its price under cost.prices")
	}
}

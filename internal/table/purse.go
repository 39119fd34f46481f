package table

import (
	"strings"

	"github.com/MrWong99/glyphoxa/internal/cost"
)

// costAccounts opens the accounts of turns and reports passed caps. With a nil meter there are no caps.
type costAccounts struct {
	meter            *cost.Meter
	effects          *effects
	reportedLevel    cost.Level
	unpricedReported bool // the notice about costs without a price was sent
}

// openAccount gives a turn its account, unless an earlier attempt has one. Attempts of the same turn share an
// account, which also includes the same NPC's guesses at the turn's words.
func (p *costAccounts) openAccount(tn *turn) {
	if tn.record.account == nil && tn.guesses.droppedAccount.NPC() == tn.addressee.npc.Name {
		tn.record.account = tn.guesses.droppedAccount
	}
	if tn.record.account == nil {
		tn.record.account = p.meter.Account(tn.addressee.npc.Name)
	}
}

// guessAllowed reports whether the budget allows answers that may be dropped.
func (p *costAccounts) guessAllowed() bool { return p.meter.Level() < cost.Cheaper }

// capMessages describes each level in words. It contains no amounts, because players read it too.
var capMessages = map[cost.Level]string{
	cost.Noticed:   "the session has passed its first cost limit (cost.soft_cap); nothing changes yet",
	cost.Cheaper:   "the session has reached its cost limit (cost.hard_cap); from now on the NPCs give cheaper answers",
	cost.LinesOnly: "the session has used up its cost limit (cost.hard_cap); from now on the NPCs only use prepared lines",
}

// reportLevel reports a passed cap, once. If there are caps, it also reports once that some costs do not count
// towards them because they have no price.
func (p *costAccounts) reportLevel() {
	level := p.meter.Level()
	if level > p.reportedLevel {
		p.reportedLevel = level
		r := p.meter.Report()
		p.effects.emit(0, KindCost, &Cost{
			Level: level.String(), Spent: r.Total.Amount, Currency: r.Currency, SoftCap: r.SoftCap, HardCap: r.HardCap,
		})
		p.effects.notify(0, "warning", capMessages[level])
	}
	if names := p.meter.Uncounted(); len(names) > 0 && !p.unpricedReported {
		p.unpricedReported = true
		p.effects.notify(0, "info", "the cost limits do not count "+strings.Join(names, " and ")+"; set the price under cost.prices")
	}
}

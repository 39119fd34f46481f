package discord

import (
	"context"
	"strings"
	"time"

	"github.com/MrWong99/glyphoxa/internal/cost"
)

// showSessionStatus shows the state of the session, with more detail for DMs.
func showSessionStatus(ctx context.Context, c *call) (string, error) {
	r, err := c.runningSession()
	if err != nil {
		return "", err
	}
	list, err := c.describeNPCs(ctx, r)
	if err != nil {
		return "", err
	}
	how, err := r.played.Table.Listening(ctx)
	if err != nil {
		return "", err
	}
	lines := append([]string{c.format(StatusHead, r.channel, DurationPhrase(time.Since(r.began)), escapeMarkup(r.played.Campaign))}, list...)
	lines = append(lines, c.format(listeningText(how)))
	if r.voice != nil {
		lines = append(lines, r.voice.describe(c.lang)...)
	}
	if r.paused.Load() {
		lines = append(lines, c.format(SessionPaused))
	}
	if !c.by.DM {
		return strings.Join(lines, "\n"), nil
	}
	lines = append(lines, r.rolled.latest()...)
	lines = append(lines, costText(c.lang, r.played.Cost()))
	withheld, err := countWithheld(ctx, r)
	if err != nil {
		return "", err
	}
	if withheld > 0 {
		lines = append(lines, Withheld.In(c.lang, withheld))
	}
	return strings.Join(append(lines, r.status.countLines(c.lang)...), "\n"), nil
}

// countWithheld counts the withheld parts of NPCs' answers.
func countWithheld(ctx context.Context, r *session) (n int, err error) {
	all, err := r.played.Table.Status(ctx)
	for _, s := range all {
		n += s.Withheld
	}
	return n, err
}

// costText describes the cost of a session and its limits.
func costText(l Language, r cost.Report) string {
	if r.Total.Usage == (cost.Usage{}) {
		return CostNothing.In(l)
	}
	all := []string{CostSoFar.In(l, r.Total.Amount.In(r.Currency))}
	switch {
	case r.Total.Unpriced && r.Total.Amount == 0:
		all[0] = CostUnknown.In(l)
	case r.Total.Unpriced:
		all[0] = CostPartly.In(l, r.Total.Amount.In(r.Currency))
	}
	if r.SoftCap > 0 {
		all = append(all, CostWarnAt.In(l, r.SoftCap.In(r.Currency)))
	}
	if r.HardCap > 0 {
		all = append(all, CostStopAt.In(l, r.HardCap.In(r.Currency)))
	}
	switch r.Level {
	case cost.Cheaper:
		all = append(all, CostIsCheaper.In(l))
	case cost.LinesOnly:
		all = append(all, CostLinesOnly.In(l))
	}
	return strings.Join(all, " ")
}

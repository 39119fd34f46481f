package play

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/world"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// dateSpace is where the day of each campaign's world is kept, and what its file said last.
const dateSpace = "calendar"

// dateKeys are the keys of the open campaign.
func (g *Game) dateKeys() (today, filed string) {
	return "today:" + g.Config.Campaign.Name, "filed:" + g.Config.Campaign.Name
}

// DateOf is the day in the world of a campaign that nobody plays, as its calendar writes it;
// empty if nobody has set it.
func DateOf(ctx context.Context, cfg *config.Config, store memory.State, c world.Calendar) (string, error) {
	kept, err := store.LoadState(ctx, dateSpace)
	if err != nil {
		return "", fmt.Errorf("reading the date: %w", err)
	}
	text, ok := kept["today:"+cfg.Campaign.Name]
	if !ok {
		return "", nil
	}
	day, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return "", fmt.Errorf("reading the date: %w", err)
	}
	clock := world.NewClock(c)
	clock.Put(day)
	return clock.Today().Text, nil
}

// openClock reads which day it is: what was set last, unless the campaign's file has
// another first day than it had then.
func (g *Game) openClock(ctx context.Context) error {
	first := ""
	if g.clock = world.NewClock(world.Calendar{}); g.Campaign != nil {
		g.clock, first = world.NewClock(g.Campaign.Calendar), g.Campaign.Today
	}
	kept, err := g.Store.LoadState(ctx, dateSpace)
	if err != nil {
		return fmt.Errorf("reading the date: %w", err)
	}
	today, filed := g.dateKeys()
	if first != "" && string(kept[filed]) != first {
		day, err := g.clock.Read(first)
		if err != nil {
			return fmt.Errorf("reading the date: %w", err)
		}
		return g.keepDate(ctx, day, map[string][]byte{filed: []byte(first)})
	}
	if text, ok := kept[today]; ok {
		day, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil {
			return fmt.Errorf("reading the date: %w", err)
		}
		g.clock.Put(day)
	}
	return nil
}

// keepDate has it be a day, also after a restart.
func (g *Game) keepDate(ctx context.Context, day int64, with map[string][]byte) error {
	today, _ := g.dateKeys()
	values := map[string][]byte{today: strconv.AppendInt(nil, day, 10)}
	for key, value := range with {
		values[key] = value
	}
	if err := g.Store.SaveState(ctx, dateSpace, values); err != nil {
		return fmt.Errorf("keeping the date: %w", err)
	}
	g.clock.Put(day)
	return nil
}

// Date is the day in the world, as its calendar writes it; empty if it is not known.
func (g *Game) Date() string { return g.clock.Today().Text }

// SetDate has it be another day: a date, or how far time goes on, such as "+3" or
// "tomorrow". It returns the new date.
func (g *Game) SetDate(ctx context.Context, text string) (string, error) {
	day, err := g.clock.Read(strings.TrimSpace(text))
	if err != nil {
		return "", err
	}
	if err := g.keepDate(ctx, day, nil); err != nil {
		return "", err
	}
	return g.Date(), nil
}

// Date is the day in the world, as [Game.Date] has it.
func (s *Session) Date() string { return s.game.Date() }

// SetDate has it be another day, as [Game.SetDate] does.
func (s *Session) SetDate(ctx context.Context, text string) (string, error) {
	return s.game.SetDate(ctx, text)
}

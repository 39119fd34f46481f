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

// dateSpace is the state space that holds the day of each campaign's world, and the first day its file named
// last.
const dateSpace = "calendar"

// dateKeys returns the keys of the open campaign.
func (g *Game) dateKeys() (today, filed string) {
	return "today:" + g.Config.Campaign.Name, "filed:" + g.Config.Campaign.Name
}

// DateOf returns the day in the world of a campaign that is not being played, as its calendar writes it;
// empty if it was never set.
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

// openClock reads the current day: the one that was set last, or the first day in the campaign's file if that
// has changed since.
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
		return g.storeDate(ctx, day, map[string][]byte{filed: []byte(first)})
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

// storeDate sets the day, and stores it so that it survives a restart.
func (g *Game) storeDate(ctx context.Context, day int64, with map[string][]byte) error {
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

// Date returns the day in the world, as its calendar writes it; empty if it is unknown.
func (g *Game) Date() string { return g.clock.Today().Text }

// SetDate sets the day: to a date, or by an amount such as "+3" or "tomorrow". It returns the new date.
func (g *Game) SetDate(ctx context.Context, text string) (string, error) {
	day, err := g.clock.Read(strings.TrimSpace(text))
	if err != nil {
		return "", err
	}
	if err := g.storeDate(ctx, day, nil); err != nil {
		return "", err
	}
	return g.Date(), nil
}

// Date returns the day in the world, see [Game.Date].
func (s *Session) Date() string { return s.game.Date() }

// SetDate sets the day, see [Game.SetDate].
func (s *Session) SetDate(ctx context.Context, text string) (string, error) {
	return s.game.SetDate(ctx, text)
}

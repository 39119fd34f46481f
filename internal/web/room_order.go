package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/mcp/tools/diceroller"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
)

// profile is the profile of guests, which is that of players.
const profile = "player.limited"

// handleRequest carries out a guest's request with the guest's rights.
func (g *guest) handleRequest(ctx context.Context, q request) {
	var err error
	switch q.Type {
	case saySaid:
		if text := strings.TrimSpace(q.Text); text != "" {
			err = g.at.Table.Hear(ctx, table.Utterance{Speaker: g.name, Text: text, User: g.user})
		}
	case sayRoll:
		err = g.roll(ctx, q.Dice)
	case sayStop:
		err = table.Stop(ctx, g.at.Table, g.name)
	case sayForget:
		err = g.forget(ctx)
	}
	switch {
	case err == nil || ctx.Err() != nil:
	case errors.Is(err, table.ErrFlood):
		g.gate.exceed()
	case errors.Is(err, table.ErrTooMuch):
		if g.hints.Allow() {
			g.send(newNotice("Y" + err.Error()[1:] + "."))
		}
	default:
		g.send(newNotice(err.Error()))
	}
}

// roll rolls dice under the rules of tool calls, and sends the result to all guests.
func (g *guest) roll(ctx context.Context, dice string) error {
	game := g.at.game
	if game == nil {
		return errors.New("you cannot roll dice at this table")
	}
	rights, ok := game.Registry.Governance.Policy.Profile(profile)
	if !ok {
		return fmt.Errorf("there is no profile %q", profile)
	}
	args, err := json.Marshal(map[string]string{"expression": dice})
	if err != nil {
		return err
	}
	ctx = access.WithSubject(ctx, &access.Subject{Name: g.user, Profile: rights, Transport: RoomFront, Crowd: RoomFront})
	res, err := game.Registry.Host.ExecuteTool(ctx, "roll", string(args))
	if err != nil {
		return err
	}
	if res.IsError {
		return errors.New(res.Text)
	}
	var rolled diceroller.Result
	if err := json.Unmarshal([]byte(res.Text), &rolled); err != nil {
		return fmt.Errorf("reading what was rolled: %w", err)
	}
	text := fmt.Sprintf("%s: %d (%s)", rolled.Expression, rolled.Total, strings.Trim(fmt.Sprint(rolled.Rolls), "[]"))
	g.room.broadcast(diceMessage{"dice", g.name, text})
	return nil
}

// forget deletes everything stored about the guest's words, and makes the guest leave.
func (g *guest) forget(ctx context.Context) error {
	game := g.at.game
	if game == nil {
		return errors.New("this table cannot delete what you said")
	}
	mentions, _, err := play.ForgetUser(ctx, game, g.at.Table, g.user, nil, g.name)
	game.OfferMentions(mentions)
	if err != nil {
		g.room.o.Logger.Error("forgetting a guest", "user", g.user, "reason", err)
		return errors.New("not everything could be deleted; try again, and if that does not help, ask the host")
	}
	g.room.dismiss(g, reasonForgotten)
	return nil
}

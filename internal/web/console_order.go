package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/MrWong99/glyphoxa/internal/address"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/mcp/access"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/world"
)

// orderRequest is an order to the table, as sent by the page.
type orderRequest struct {
	Order   string `json:"order"`
	NPC     string `json:"npc"`
	Tier    string `json:"tier"`
	Minutes int    `json:"minutes"`
	Turns   int    `json:"turns"`
	Text    string `json:"text"`
	Voice   string `json:"voice"`
	Speaker string `json:"speaker"`
}

// errNoTable is returned for an order without a session.
var errNoTable = errors.New("no game is running at this table")

// order carries out an order of the game master under the usual rules. Unknown orders are rejected first, so
// that they do not appear in records.
func (d *authenticator) order(a *roomRequest) {
	var in orderRequest
	if !a.decode(&in) {
		return
	}
	permission, known := orders[in.Order]
	if !known {
		fail(a.w, http.StatusBadRequest, fmt.Sprintf("%q is not an order", in.Order))
		return
	}
	said := ""
	t := mcp.Target{Tool: "console_" + in.Order, Source: "server", Permission: permission}
	d.governed(a, t, in, func(ctx context.Context) (err error) {
		if in.Order == "approve_tool" {
			return a.room.game.Registry.Host.Approve(ctx, in.Text)
		}
		if a.room.session == nil {
			return errNoTable
		}
		said, err = executeOrder(ctx, a.room.session.Table, in)
		return err
	}, func() any { return map[string]string{"said": said} })
}

// orders maps the orders to their permissions.
var orders = map[string]string{
	"mute": access.NPCControl, "unmute": access.NPCControl, "raise": access.NPCControl, "lower": access.NPCControl,
	"say": access.NPCControl, "direct": access.NPCControl, "try_voice": access.NPCControl, "reveal": access.NPCControl,
	"conceal": access.NPCControl, "unsay": access.NPCControl, "again": access.NPCControl,
	"listening": access.SessionControl, "hear": access.SessionControl, "approve_tool": access.SessionControl,
}

// executeOrder passes an order to a table.
func executeOrder(ctx context.Context, t *table.Table, in orderRequest) (said string, err error) {
	switch in.Order {
	case "mute", "unmute":
		return t.Mute(ctx, in.NPC, in.Order == "mute")
	case "raise", "lower":
		tier, err := mcp.ParseTier(in.Tier)
		if err != nil {
			return "", err
		}
		if in.Order == "lower" {
			return t.Lower(ctx, in.NPC, tier)
		}
		return t.Raise(ctx, in.NPC, tier, time.Duration(max(in.Minutes, 0))*time.Minute, max(in.Turns, 0))
	case "say":
		return "", t.Say(ctx, in.NPC, in.Text)
	case "try_voice":
		return "", t.TryVoice(ctx, in.NPC, in.Voice, in.Text)
	case "direct":
		return t.Direct(ctx, in.NPC, in.Text, in.Turns)
	case "reveal":
		return t.Reveal(ctx, in.NPC, in.Text)
	case "conceal":
		return t.Conceal(ctx, in.NPC)
	case "unsay", "again":
		return t.RetractAnswer(ctx, table.RetractionRequest{NPC: in.NPC, Leads: true, Again: in.Order == "again"})
	case "listening":
		how, err := address.ParseListening(in.Text)
		if err != nil {
			return "", err
		}
		return t.Listen(ctx, how)
	}
	return "", t.Hear(ctx, table.Utterance{Speaker: in.Speaker, Text: in.Text})
}

// governed runs an action that is not a tool under the rules of tool calls, and answers.
func (d *authenticator) governed(a *roomRequest, t mcp.Target, args any, do func(context.Context) error, answers func() any) {
	err := a.room.game.Registry.Governance.Gate.Do(a.calling(), t, args, do)
	var refused *mcp.Refusal
	switch {
	case errors.As(err, &refused):
		failWith(a.w, err)
	case err != nil: // the error is about the visitor's input
		fail(a.w, http.StatusBadRequest, err.Error())
	default:
		answer(a.w, answers())
	}
}

// decideMemory accepts or rejects a proposal, or drops a learnt entry.
func (d *authenticator) decideMemory(a *roomRequest) {
	var in struct {
		ID   int64  `json:"id"`
		How  string `json:"how"`
		Text string `json:"text"`
	}
	if !a.decode(&in) {
		return
	}
	if !a.sees(access.MemoryRead) {
		fail(a.w, http.StatusForbidden, "only those who may see everything may decide what the NPCs learn")
		return
	}
	var (
		e        world.Entry
		mentions *play.Mentions
	)
	t := mcp.Target{Tool: "console_memory", Source: "server", Permission: access.MemoryWrite}
	d.governed(a, t, in, func(ctx context.Context) (err error) {
		learnt := a.room.game.Chronicle
		switch in.How {
		case "accept", "reject":
			e, err = learnt.Decide(ctx, in.ID, in.How == "accept", in.Text)
		case "drop":
			e, err = learnt.Drop(ctx, in.ID)
		case "gather":
			_, err = a.room.game.Gather(ctx)
		case "mentions":
			if m, waited := a.room.game.Mentions.Pop(); waited {
				mentions = &m
			}
		case "erase-line":
			_, err = a.room.game.EraseLine(ctx, a.room.session, in.ID)
		case "erase-note":
			_, err = a.room.game.EraseNote(ctx, in.ID)
		default:
			err = fmt.Errorf("%q is not a decision", in.How)
		}
		return err
	}, func() any { return map[string]any{"text": e.Text, "mentions": mentions} })
}

package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/table"
)

const (
	// boardEvery is the least time between two changes of the board.
	boardEvery = 10 * time.Second
	// boardFirst lets the answer to /session start come first.
	boardFirst = time.Second
	// maxTroubles is how many of the latest warnings and errors the board shows.
	maxTroubles = 3
	// maxField bounds a field of an embed, in characters.
	maxField = 1024
)

// watched is what the board shows of a table. It is safe for concurrent use.
type watched interface {
	Status(ctx context.Context) ([]table.Status, error)
	Stages(ctx context.Context) ([]table.Stages, error)
}

// board is a message that shows how a session goes: NPCs, their tiers, how fast
// they answer, what went wrong. It changes at most every ten seconds, and only if
// there is something new. It is a table.Sink.
type board struct {
	api     *api
	channel string
	next    table.Sink
	// name and table are there before run begins.
	name  string
	table watched

	mu       sync.Mutex // guards the fields below
	met      int
	breached int
	troubles []string

	// Owned by run.
	message string // its id, once it is posted
	shown   string // the embed as JSON
}

// Emit implements table.Sink.
func (d *board) Emit(e table.Event) {
	d.note(e)
	d.next.Emit(e)
}

func (d *board) note(e table.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e := e.(type) {
	case *table.TurnEnded:
		switch {
		case e.Outcome == table.OutcomeNoTarget || e.Outcome == table.OutcomeMuted:
		case e.Ledger.Budget == "met":
			d.met++
		default:
			d.breached++
		}
	case *table.Notice:
		if e.Level == "info" {
			return
		}
		d.troubles = append(d.troubles, e.Text)
		if len(d.troubles) > maxTroubles {
			d.troubles = d.troubles[1:]
		}
	}
}

// run keeps the board until ctx ends, and then says that the session has ended.
func (d *board) run(ctx context.Context) error {
	for wait := boardFirst; pause(ctx, wait); wait = boardEvery {
		if err := d.show(ctx, d.embed(ctx)); err != nil && ctx.Err() == nil {
			return err
		}
	}
	if d.message == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	return d.show(ctx, &discordgo.MessageEmbed{Title: d.title(), Description: "The session has ended.", Fields: d.counts()})
}

// show posts an embed, or changes the one that is posted, if it is new.
func (d *board) show(ctx context.Context, e *discordgo.MessageEmbed) error {
	raw, err := json.Marshal(e)
	if err != nil || string(raw) == d.shown {
		return err
	}
	all := []*discordgo.MessageEmbed{e}
	if d.message == "" {
		m, err := d.api.post(ctx, d.channel, &discordgo.MessageSend{Embeds: all, AllowedMentions: nobody()})
		if err != nil {
			return err
		}
		d.message = m.ID
	} else if err := d.api.edit(ctx, d.channel, d.message, &discordgo.MessageEdit{Embeds: &all, AllowedMentions: nobody()}); err != nil {
		return err
	}
	d.shown = string(raw)
	return nil
}

func (d *board) title() string {
	if d.name == "" {
		return "Session"
	}
	return d.name
}

// embed is how the session goes now. Everybody sees it: what only the DM knows,
// such as directions, is not in it.
func (d *board) embed(ctx context.Context) *discordgo.MessageEmbed {
	e := &discordgo.MessageEmbed{Title: d.title()}
	if all, err := d.table.Status(ctx); err == nil {
		var lines []string
		for _, s := range all {
			line := fmt.Sprintf("%s: up to %s", escape(s.Name), s.Ceiling)
			if s.Lease != nil {
				line += fmt.Sprintf(", raised until <t:%d:t>", s.Lease.Until.Unix())
			}
			if s.Muted {
				line += ", silent"
			}
			lines = append(lines, line)
		}
		e.Fields = append(e.Fields, field("At the table", lines))
	}
	if all, err := d.table.Stages(ctx); err == nil && len(all) > 0 {
		var lines []string
		for _, s := range all {
			lines = append(lines, fmt.Sprintf("%s: first words after %s, 95 %% within %s", s.Tier, span(s.FirstSoundP50), span(s.FirstSoundP95)))
			for _, st := range s.Stages {
				lines = append(lines, fmt.Sprintf("%s %s, 95 %% within %s", st.Stage, span(st.P50), span(st.P95)))
			}
		}
		e.Fields = append(e.Fields, field("How fast", lines))
	}
	e.Fields = append(e.Fields, d.counts()...)
	return e
}

// counts are what is counted of the session so far.
func (d *board) counts() []*discordgo.MessageEmbedField {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []*discordgo.MessageEmbedField
	if d.met+d.breached > 0 {
		out = append(out, field("Answers", []string{fmt.Sprintf("%d in time, %d too late or failed", d.met, d.breached)}))
	}
	if len(d.troubles) > 0 {
		var lines []string
		for _, t := range d.troubles {
			lines = append(lines, "⚠ "+escape(t))
		}
		out = append(out, field("Lately", lines))
	}
	return out
}

// field is a field of an embed with as many of the lines as fit.
func field(name string, lines []string) *discordgo.MessageEmbedField {
	text := strings.Join(lines, "\n")
	if r := []rune(text); len(r) > maxField {
		text = string(r[:maxField-1]) + "…"
	}
	return &discordgo.MessageEmbedField{Name: name, Value: text}
}

package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/discord/markup"
	"github.com/MrWong99/glyphoxa/internal/discord/rest"
	"github.com/MrWong99/glyphoxa/internal/discord/waterfall"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

const (
	// boardEvery is the least time between two changes of the board, and how often
	// it is looked for what no event tells.
	boardEvery = 10 * time.Second
	// boardSettle lets what happens together be shown together, and the answer to
	// /session start come first.
	boardSettle = time.Second
	// maxTroubles is how many of the latest warnings and errors the board shows.
	maxTroubles = 3
	// maxTrouble bounds one of them, in characters.
	maxTrouble = 250
	// maxTitle, maxField and maxRow bound the title of an embed, a field, and a
	// line of it, in characters.
	maxTitle, maxField, maxRow = 256, 1024, 120
)

// watched is what the board shows of a table. It is safe for concurrent use.
type watched interface {
	Status(ctx context.Context) ([]table.Status, error)
	Stages(ctx context.Context) ([]table.Stages, error)
}

// teller is told everything that a board is, and what the board has to say.
type teller interface {
	table.Sink
	tell(level, text string)
}

// board is a message that shows how a session goes: NPCs, their tiers, how fast
// they answer, what went wrong. It changes at most every ten seconds, and only if
// there is something new. It is a table.Sink.
type board struct {
	api     *rest.Client
	channel string
	next    teller
	// name and table are there before run begins.
	name  string
	table watched
	// due receives when something happened that the board shows.
	due     chan struct{}
	timings timings

	mu       sync.Mutex // guards the fields below
	met      int
	breached map[string]int // by stage
	troubles []trouble

	// Owned by run.
	message string // its id, once it is posted
	again   bool   // it was posted anew
	shown   string // the embed as JSON
}

// trouble is a warning or an error.
type trouble struct {
	at    time.Time // the last time
	text  string
	times int
}

func newBoard(a *rest.Client, channel string, next teller) *board {
	return &board{api: a, channel: channel, next: next, due: make(chan struct{}, 1)}
}

// Emit implements table.Sink.
func (d *board) Emit(e table.Event) {
	d.timings.note(e)
	if d.note(e) {
		wakeup.Signal(d.due)
	}
	d.next.Emit(e)
}

// note takes in what the board shows, and reports whether that is any different.
func (d *board) note(e table.Event) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch e := e.(type) {
	case *table.Tier:
		return true
	case *table.TurnEnded:
		switch {
		case !owed(e.Outcome):
			return false
		case inBudget(e.Ledger):
			d.met++
		default:
			if d.breached == nil {
				d.breached = map[string]int{}
			}
			d.breached[stageWord(e.Ledger.BreachStage)]++
		}
		return true
	case *table.Notice:
		if e.Level == "info" {
			return false
		}
		d.trouble(table.HeaderOf(e).Time, markup.Clip(strings.Join(strings.Fields(markup.ShortenPaths(e.Text)), " "), maxTrouble))
		return true
	}
	return false
}

// trouble takes in a warning; one that comes again is not told twice.
func (d *board) trouble(at time.Time, text string) {
	t := trouble{at: at, text: text}
	if i := slices.IndexFunc(d.troubles, func(o trouble) bool { return o.text == text }); i >= 0 {
		t.times = d.troubles[i].times
		d.troubles = slices.Delete(d.troubles, i, i+1)
	}
	t.times++
	d.troubles = append(d.troubles, t)
	d.troubles = d.troubles[max(len(d.troubles)-maxTroubles, 0):]
}

// run keeps the board until ctx ends, and then says that the session has ended.
// It returns an error if the channel is closed to the bot.
func (d *board) run(ctx context.Context) error {
	look := time.NewTimer(boardEvery)
	defer look.Stop()
	for wait := boardSettle; rest.Wait(ctx, wait); {
		select {
		case <-d.due: // it is about to be shown
		default:
		}
		wait = boardSettle
		switch changed, err := d.show(ctx, d.embed(ctx)); {
		case err != nil && ctx.Err() != nil:
		case shut(err):
			return err
		case rest.ErrorCode(err) == discordgo.ErrCodeMissingPermissions:
			d.next.tell("warning", "How the session goes cannot be shown here: give the bot the permission Embed Links, and start again.")
			return nil
		case rest.ErrorCode(err) == discordgo.ErrCodeUnknownMessage: // nobody wants it
			return nil
		case err != nil || changed:
			wait = boardEvery
		}
		look.Reset(boardEvery)
		began := time.Now()
		select {
		case <-d.due:
		case <-look.C:
		case <-ctx.Done():
		}
		wait = max(wait-time.Since(began), boardSettle)
	}
	if d.message != "" {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer cancel()
		e := &discordgo.MessageEmbed{Title: d.title(), Description: "The session has ended.", Fields: append(d.speeds(ctx), d.counts()...)}
		_, _ = d.change(ctx, e) // nobody can do anything about it any more
	}
	return nil
}

// shut reports whether a channel is gone, or hidden from the bot.
func shut(err error) bool {
	code := rest.ErrorCode(err)
	return code == discordgo.ErrCodeUnknownChannel || code == discordgo.ErrCodeMissingAccess
}

// show posts an embed, or changes the one that is posted, if it is new. A message
// that somebody deleted is posted anew, once; then it is an error. What has begun
// when ctx ends may come to its end: a message must not be left behind.
func (d *board) show(ctx context.Context, e *discordgo.MessageEmbed) (changed bool, err error) {
	ctx, cancel := outlive(ctx, farewell)
	defer cancel()
	raw, err := json.Marshal(e)
	if err != nil || string(raw) == d.shown {
		return false, err
	}
	if d.message != "" {
		gone, err := d.change(ctx, e)
		switch {
		case gone && !d.again:
			d.message, d.again = "", true
		case err != nil:
			return false, err
		}
	}
	if d.message == "" {
		m, err := d.api.CreateMessage(ctx, d.channel, &discordgo.MessageSend{Embeds: []*discordgo.MessageEmbed{e}, AllowedMentions: nobody()})
		if err != nil {
			return false, err
		}
		d.message = m.ID
	}
	d.shown = string(raw)
	return true, nil
}

// outlive returns a context that ends a while after ctx.
func outlive(ctx context.Context, while time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		rest.Wait(longer, while)
		cancel()
	})
	return longer, func() { stop(); cancel() }
}

// change changes the message, and reports whether it is gone.
func (d *board) change(ctx context.Context, e *discordgo.MessageEmbed) (gone bool, err error) {
	all := []*discordgo.MessageEmbed{e}
	err = d.api.EditMessage(ctx, d.channel, d.message, &discordgo.MessageEdit{Embeds: &all, AllowedMentions: nobody()})
	return rest.ErrorCode(err) == discordgo.ErrCodeUnknownMessage, err
}

func (d *board) title() string {
	if strings.TrimSpace(d.name) == "" {
		return "Session"
	}
	return markup.Clip(markup.Escape(d.name), maxTitle)
}

// embed is how the session goes now. Everybody sees it: what only the DM knows,
// such as directions, is not in it.
func (d *board) embed(ctx context.Context) *discordgo.MessageEmbed {
	e := &discordgo.MessageEmbed{Title: d.title()}
	if all, err := d.table.Status(ctx); err == nil && len(all) > 0 {
		var lines []string
		for _, s := range all {
			lines = append(lines, seat(s))
		}
		e.Fields = append(e.Fields, field("At the table", lines))
	}
	e.Fields = append(e.Fields, d.speeds(ctx)...)
	e.Fields = append(e.Fields, d.counts()...)
	return e
}

// seat describes an NPC, its tier and its lease.
func seat(s table.Status) string {
	line := fmt.Sprintf("%s: %s", markup.Clip(markup.Escape(s.Name), maxRow), s.Tier)
	switch {
	case s.Lease != nil:
		turns := "one more turn"
		if s.Lease.Turns != 1 {
			turns = fmt.Sprintf("%d more turns", s.Lease.Turns)
		}
		line += fmt.Sprintf(", raised to %s until <t:%d:t> (<t:%[2]d:R>) or for %s", s.Ceiling, s.Lease.Until.Unix(), turns)
	case s.Ceiling < s.Tier:
		line += fmt.Sprintf(", capped at %s", s.Ceiling)
	}
	if s.Muted {
		line += ", silent"
	}
	return line
}

// speeds are how long the answers of each tier take lately.
func (d *board) speeds(ctx context.Context) []*discordgo.MessageEmbedField {
	all, err := d.table.Stages(ctx)
	if err != nil {
		return nil
	}
	var out []*discordgo.MessageEmbedField
	for _, s := range all {
		lines := []string{speed("**first words**", s.FirstSoundP50, s.FirstSoundP95)}
		for _, st := range s.Stages {
			if st.P95 > 0 {
				lines = append(lines, speed(st.Stage, st.P50, st.P95))
			}
		}
		name := fmt.Sprintf("%s: the last %d answers", s.Tier, s.Turns)
		if s.Turns == 1 {
			name = s.Tier + ": the last answer"
		}
		f := field(name, lines)
		f.Inline = true
		out = append(out, f)
	}
	return out
}

func speed(what string, p50, p95 time.Duration) string {
	return fmt.Sprintf("%s: P50 %s, P95 %s", what, waterfall.Label(p50), waterfall.Label(p95))
}

// counts are what is counted of the session so far.
func (d *board) counts() []*discordgo.MessageEmbedField {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []*discordgo.MessageEmbedField
	late := 0
	for _, n := range d.breached {
		late += n
	}
	if all := d.met + late; all > 0 {
		lines := []string{fmt.Sprintf("%d in time, %d too late or not at all (%d %% in time)", d.met, late, 100*d.met/all)}
		if late > 0 {
			lines = append(lines, "because of "+causes(d.breached))
		}
		out = append(out, field("Answers", lines))
	}
	if len(d.troubles) > 0 {
		var lines []string
		for _, t := range d.troubles {
			line := fmt.Sprintf("⚠ <t:%d:t> %s", t.at.Unix(), markup.Escape(t.text))
			if t.times > 1 {
				line += fmt.Sprintf(" (%d times)", t.times)
			}
			lines = append(lines, line)
		}
		out = append(out, field("Lately", lines))
	}
	return out
}

// causes lists stages by how often each was the reason, most often first.
func causes(by map[string]int) string {
	var names []string
	for name := range by {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if by[a] != by[b] {
			return by[b] - by[a]
		}
		return strings.Compare(a, b)
	})
	var out []string
	for _, name := range names {
		out = append(out, fmt.Sprintf("%s: %d", name, by[name]))
	}
	return strings.Join(out, ", ")
}

// field is a field of an embed with as many of the lines as fit; a line is shown
// as a whole, or not.
func field(name string, lines []string) *discordgo.MessageEmbedField {
	const room = 20 // for what says how many are missing
	var kept []string
	length := 0
	for i, line := range lines {
		n := len([]rune(line)) + 1
		if length+n > maxField-room && (i < len(lines)-1 || length+n > maxField) {
			kept = append(kept, fmt.Sprintf("… and %d more", len(lines)-i))
			break
		}
		kept, length = append(kept, line), length+n
	}
	return &discordgo.MessageEmbedField{Name: name, Value: strings.Join(kept, "\n")}
}

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
	// statusEvery is the least time between two changes of the message, and how often
	// it is looked for what no event tells.
	statusEvery = 10 * time.Second
	// statusDelay lets what happens together be shown together, and the answer to
	// /session start come first.
	statusDelay = time.Second
	// maxTroubles is how many of the latest warnings and errors the status message shows.
	maxTroubles = 3
	// maxTrouble bounds one of them, in characters.
	maxTrouble = 250
	// maxTitle, maxField and maxRow bound the title of an embed, a field, and a
	// line of it, in characters.
	maxTitle, maxField, maxRow = 256, 1024, 120
)

// tableWatcher is what the status message shows of a table. It is safe for concurrent use.
type tableWatcher interface {
	Status(ctx context.Context) ([]table.Status, error)
	Stages(ctx context.Context) ([]table.Stages, error)
}

// noticeSink is told everything that a status message is, and what that has to say
// itself.
type noticeSink interface {
	table.Sink
	postNotice(level, text string)
}

// statusMessage is a message that shows how a session goes: NPCs, their tiers, how fast
// they answer, what went wrong. It changes at most every ten seconds, and only if
// there is something new. It is a table.Sink.
type statusMessage struct {
	rest    *rest.Client
	channel string
	next    noticeSink
	// name and table are there before run begins.
	name  string
	table tableWatcher
	voice *voiceRoom // nil without one
	// due receives when something happened that the status message shows.
	due     chan struct{}
	timings turnTimings

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

func newStatusMessage(a *rest.Client, channel string, next noticeSink) *statusMessage {
	return &statusMessage{rest: a, channel: channel, next: next, due: make(chan struct{}, 1)}
}

// Emit implements table.Sink.
func (s *statusMessage) Emit(e table.Event) {
	s.timings.noteEvent(e)
	if s.noteEvent(e) {
		wakeup.Signal(s.due)
	}
	s.next.Emit(e)
}

// noteEvent takes in what the status message shows, and reports whether that is any different.
func (s *statusMessage) noteEvent(e table.Event) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := e.(type) {
	case *table.Tier:
		return true
	case *table.TurnEnded:
		switch {
		case !wantsAnswer(e.Outcome):
			return false
		case metBudget(e.Ledger):
			s.met++
		default:
			if s.breached == nil {
				s.breached = map[string]int{}
			}
			s.breached[stageWord(e.Ledger.BreachStage)]++
		}
		return true
	case *table.Guarded: // players read it, too: it does not say why
		s.noteTrouble(table.HeaderOf(e).Time, e.NPC+" was kept from saying something")
		return true
	case *table.Notice:
		if e.Level == "info" {
			return false
		}
		s.noteTrouble(table.HeaderOf(e).Time, markup.Clip(strings.Join(strings.Fields(markup.ShortenPaths(e.Text)), " "), maxTrouble))
		return true
	}
	return false
}

// noteTrouble takes in a warning; one that comes again is not told twice.
func (s *statusMessage) noteTrouble(at time.Time, text string) {
	t := trouble{at: at, text: text}
	if i := slices.IndexFunc(s.troubles, func(o trouble) bool { return o.text == text }); i >= 0 {
		t.times = s.troubles[i].times
		s.troubles = slices.Delete(s.troubles, i, i+1)
	}
	t.times++
	s.troubles = append(s.troubles, t)
	s.troubles = s.troubles[max(len(s.troubles)-maxTroubles, 0):]
}

// run keeps the message up to date until ctx ends, and then says that the session has ended.
// It returns an error if the channel is closed to the bot.
func (s *statusMessage) run(ctx context.Context) error {
	look := time.NewTimer(statusEvery)
	defer look.Stop()
	for wait := statusDelay; rest.Wait(ctx, wait); {
		select {
		case <-s.due: // it is about to be shown
		default:
		}
		wait = statusDelay
		switch changed, err := s.publishEmbed(ctx, s.buildEmbed(ctx)); {
		case err != nil && ctx.Err() != nil:
		case channelClosed(err):
			return err
		case rest.ErrorCode(err) == discordgo.ErrCodeMissingPermissions:
			s.next.postNotice("warning", "How the session goes cannot be shown here: give the bot the permission Embed Links, and start again.")
			return nil
		case rest.ErrorCode(err) == discordgo.ErrCodeUnknownMessage: // nobody wants it
			return nil
		case err != nil || changed:
			wait = statusEvery
		}
		look.Reset(statusEvery)
		began := time.Now()
		select {
		case <-s.due:
		case <-look.C:
		case <-ctx.Done():
		}
		wait = max(wait-time.Since(began), statusDelay)
	}
	if s.message != "" {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		e := &discordgo.MessageEmbed{Title: s.embedTitle(), Description: "The session has ended.", Fields: append(s.latencyFields(ctx), s.countFields()...)}
		_, _ = s.editMessage(ctx, e) // nobody can do anything about it any more
	}
	return nil
}

// channelClosed reports whether a channel is gone, or hidden from the bot.
func channelClosed(err error) bool {
	code := rest.ErrorCode(err)
	return code == discordgo.ErrCodeUnknownChannel || code == discordgo.ErrCodeMissingAccess
}

// publishEmbed posts an embed, or changes the one that is posted, if it is new. A message
// that somebody deleted is posted anew, once; then it is an error. What has begun
// when ctx ends may come to its end: a message must not be left behind.
func (s *statusMessage) publishEmbed(ctx context.Context, e *discordgo.MessageEmbed) (changed bool, err error) {
	ctx, cancel := withGrace(ctx, closeTimeout)
	defer cancel()
	raw, err := json.Marshal(e)
	if err != nil || string(raw) == s.shown {
		return false, err
	}
	if s.message != "" {
		gone, err := s.editMessage(ctx, e)
		switch {
		case gone && !s.again:
			s.message, s.again = "", true
		case err != nil:
			return false, err
		}
	}
	if s.message == "" {
		m, err := s.rest.CreateMessage(ctx, s.channel, &discordgo.MessageSend{Embeds: []*discordgo.MessageEmbed{e}, AllowedMentions: noMentions()})
		if err != nil {
			return false, err
		}
		s.message = m.ID
	}
	s.shown = string(raw)
	return true, nil
}

// withGrace returns a context that ends a while after ctx.
func withGrace(ctx context.Context, while time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		rest.Wait(longer, while)
		cancel()
	})
	return longer, func() { stop(); cancel() }
}

// editMessage changes the message, and reports whether it is gone.
func (s *statusMessage) editMessage(ctx context.Context, e *discordgo.MessageEmbed) (gone bool, err error) {
	all := []*discordgo.MessageEmbed{e}
	err = s.rest.EditMessage(ctx, s.channel, s.message, &discordgo.MessageEdit{Embeds: &all, AllowedMentions: noMentions()})
	return rest.ErrorCode(err) == discordgo.ErrCodeUnknownMessage, err
}

func (s *statusMessage) embedTitle() string {
	if strings.TrimSpace(s.name) == "" {
		return "Session"
	}
	return markup.Clip(markup.Escape(s.name), maxTitle)
}

// buildEmbed is how the session goes now. Everybody sees it: what only the DM knows,
// such as directions, is not in it.
func (s *statusMessage) buildEmbed(ctx context.Context) *discordgo.MessageEmbed {
	e := &discordgo.MessageEmbed{Title: s.embedTitle()}
	if all, err := s.table.Status(ctx); err == nil && len(all) > 0 {
		var lines []string
		for _, npc := range all {
			lines = append(lines, npcStatusLine(npc))
		}
		e.Fields = append(e.Fields, embedField("At the table", lines))
	}
	e.Fields = append(e.Fields, s.voice.voiceFields()...)
	e.Fields = append(e.Fields, s.latencyFields(ctx)...)
	e.Fields = append(e.Fields, s.countFields()...)
	return e
}

// npcStatusLine describes an NPC, its tier and its lease.
func npcStatusLine(s table.Status) string {
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

// latencyFields are how long the answers of each tier take lately.
func (s *statusMessage) latencyFields(ctx context.Context) []*discordgo.MessageEmbedField {
	all, err := s.table.Stages(ctx)
	if err != nil {
		return nil
	}
	var out []*discordgo.MessageEmbedField
	for _, t := range all {
		lines := []string{latencyLine("**first words**", t.FirstSoundP50, t.FirstSoundP95)}
		for _, st := range t.Stages {
			if st.P95 > 0 {
				lines = append(lines, latencyLine(st.Stage, st.P50, st.P95))
			}
		}
		name := fmt.Sprintf("%s: the last %d answers", t.Tier, t.Turns)
		if t.Turns == 1 {
			name = t.Tier + ": the last answer"
		}
		f := embedField(name, lines)
		f.Inline = true
		out = append(out, f)
	}
	return out
}

func latencyLine(what string, p50, p95 time.Duration) string {
	return fmt.Sprintf("%s: P50 %s, P95 %s", what, waterfall.Label(p50), waterfall.Label(p95))
}

// countFields are what is counted of the session so far.
func (s *statusMessage) countFields() []*discordgo.MessageEmbedField {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*discordgo.MessageEmbedField
	late := 0
	for _, n := range s.breached {
		late += n
	}
	if all := s.met + late; all > 0 {
		lines := []string{fmt.Sprintf("%d in time, %d too late or not at all (%d %% in time)", s.met, late, 100*s.met/all)}
		if late > 0 {
			lines = append(lines, "because of "+breachCauses(s.breached))
		}
		out = append(out, embedField("Answers", lines))
	}
	if len(s.troubles) > 0 {
		var lines []string
		for _, t := range s.troubles {
			line := fmt.Sprintf("⚠ <t:%d:t> %s", t.at.Unix(), markup.Escape(t.text))
			if t.times > 1 {
				line += fmt.Sprintf(" (%d times)", t.times)
			}
			lines = append(lines, line)
		}
		out = append(out, embedField("Lately", lines))
	}
	return out
}

// breachCauses lists stages by how often each was the reason, most often first.
func breachCauses(by map[string]int) string {
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

// embedField is a field of an embed with as many of the lines as fit; a line is shown
// as a whole, or not.
func embedField(name string, lines []string) *discordgo.MessageEmbedField {
	const reserved = 20 // for what says how many are missing
	var kept []string
	length := 0
	for i, line := range lines {
		n := len([]rune(line)) + 1
		if length+n > maxField-reserved && (i < len(lines)-1 || length+n > maxField) {
			kept = append(kept, fmt.Sprintf("… and %d more", len(lines)-i))
			break
		}
		kept, length = append(kept, line), length+n
	}
	return &discordgo.MessageEmbedField{Name: name, Value: strings.Join(kept, "\n")}
}

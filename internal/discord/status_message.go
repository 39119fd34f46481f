package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

const (
	// statusEvery is the minimum interval between two edits, and the interval of checks for changes without
	// an event.
	statusEvery = 10 * time.Second
	// statusDelay combines events that happen together into one edit, and lets the answer to /session start
	// come first.
	statusDelay = time.Second
	// maxTroubles bounds the latest warnings and errors that are kept.
	maxTroubles = 3
	// maxTrouble bounds one of them, in characters.
	maxTrouble = 250
	// maxTitle, maxField and maxRow bound an embed's title, a field, and a line of a field, in characters.
	maxTitle, maxField, maxRow = 256, 1024, 120
)

// tableWatcher returns the state of a table. It is safe for concurrent use.
type tableWatcher interface {
	Status(ctx context.Context) ([]table.Status, error)
}

// noticeSink receives the table's events from a status message, and notices about the message itself.
type noticeSink interface {
	table.Sink
	postNotice(level, text string)
}

// statusMessage is a message that shows the state of a session: the NPCs at the table and their tiers. It is
// edited at most every ten seconds, and only when something changed. It also counts what DMs see in /session
// status. It is a table.Sink.
type statusMessage struct {
	rest    *RestClient
	channel string
	lang    Language
	next    noticeSink
	// name and table are set before run.
	name  string
	table tableWatcher
	voice *voiceRoom // nil without one
	// changed receives when an event changed the message's content.
	changed chan struct{}
	timings turnTimings

	mu       sync.Mutex // guards the fields below
	met      int
	breached map[string]int // by stage
	troubles []trouble

	// Owned by run.
	message  string // id, once posted
	reposted bool   // the message was posted a second time
	shown    string // the posted embed as JSON
}

// trouble is a warning or an error.
type trouble struct {
	at    time.Time // when it happened last
	text  string
	times int
}

func newStatusMessage(a *RestClient, channel string, l Language, next noticeSink) *statusMessage {
	return &statusMessage{rest: a, channel: channel, lang: l, next: next, changed: make(chan struct{}, 1)}
}

// Emit implements table.Sink.
func (s *statusMessage) Emit(e table.Event) {
	s.timings.recordEvent(e)
	if s.recordEvent(e) {
		wakeup.Signal(s.changed)
	}
	s.next.Emit(e)
}

// recordEvent records an event, and reports whether the message shows it.
func (s *statusMessage) recordEvent(e table.Event) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := e.(type) {
	case *table.Tier:
		return true
	case *table.TurnEnded:
		switch {
		case !expectsAnswer(e.Outcome):
		case metBudget(e.Ledger):
			s.met++
		default:
			if s.breached == nil {
				s.breached = map[string]int{}
			}
			s.breached[e.Ledger.BreachStage]++
		}
		return true // the turn may have used up one of a lease's answers
	case *table.Notice:
		if e.Level != "info" {
			s.recordTrouble(table.HeaderOf(e).Time, e.Text)
		}
	}
	return false
}

// recordWarning records a warning that belongs to no turn.
func (s *statusMessage) recordWarning(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recordTrouble(time.Now(), text)
}

// recordTrouble records a warning. A repeated one is counted, not added.
func (s *statusMessage) recordTrouble(at time.Time, text string) {
	text = clipText(strings.Join(strings.Fields(shortenPaths(text)), " "), maxTrouble)
	t := trouble{at: at, text: text}
	if i := slices.IndexFunc(s.troubles, func(o trouble) bool { return o.text == text }); i >= 0 {
		t.times = s.troubles[i].times
		s.troubles = slices.Delete(s.troubles, i, i+1)
	}
	t.times++
	s.troubles = append(s.troubles, t)
	s.troubles = s.troubles[max(len(s.troubles)-maxTroubles, 0):]
}

// run keeps the message up to date until ctx ends, and then marks the session as ended. It returns an error
// if the channel is closed to the bot.
func (s *statusMessage) run(ctx context.Context) error {
	look := time.NewTimer(statusEvery)
	defer look.Stop()
	for wait := statusDelay; WaitFor(ctx, wait); {
		select {
		case <-s.changed: // this pass shows it
		default:
		}
		wait = statusDelay
		switch changed, err := s.publishEmbed(ctx, s.buildEmbed(ctx)); {
		case err != nil && ctx.Err() != nil:
		case channelClosed(err):
			return err
		case ErrorCode(err) == discordgo.ErrCodeMissingPermissions:
			s.next.postNotice("warning", CannotShowState.In(s.lang))
			return nil
		case ErrorCode(err) == discordgo.ErrCodeUnknownMessage: // it was deleted twice
			return nil
		case err != nil || changed:
			wait = statusEvery
		}
		look.Reset(statusEvery)
		began := time.Now()
		select {
		case <-s.changed:
		case <-look.C:
		case <-ctx.Done():
		}
		wait = max(wait-time.Since(began), statusDelay)
	}
	if s.message != "" {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		e := &discordgo.MessageEmbed{Title: s.embedTitle(), Description: SessionIsOver.In(s.lang)}
		_, _ = s.editMessage(ctx, e) // best effort: there is no later retry
	}
	return nil
}

// channelClosed reports whether a channel was deleted, or the bot has no access to it.
func channelClosed(err error) bool {
	code := ErrorCode(err)
	return code == discordgo.ErrCodeUnknownChannel || code == discordgo.ErrCodeMissingAccess
}

// publishEmbed posts an embed, or edits the posted message, if the embed changed. A deleted message is posted
// again once; after that, its deletion is an error. A request that has begun when ctx ends may finish, so
// that no message is left behind.
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
		case gone && !s.reposted:
			s.message, s.reposted = "", true
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
		WaitFor(longer, while)
		cancel()
	})
	return longer, func() { stop(); cancel() }
}

// editMessage edits the message, and reports whether it was deleted.
func (s *statusMessage) editMessage(ctx context.Context, e *discordgo.MessageEmbed) (gone bool, err error) {
	all := []*discordgo.MessageEmbed{e}
	err = s.rest.EditMessage(ctx, s.channel, s.message, &discordgo.MessageEdit{Embeds: &all, AllowedMentions: noMentions()})
	return ErrorCode(err) == discordgo.ErrCodeUnknownMessage, err
}

func (s *statusMessage) embedTitle() string {
	if strings.TrimSpace(s.name) == "" {
		return TheSession.In(s.lang)
	}
	return clipText(escapeMarkup(s.name), maxTitle)
}

// buildEmbed returns an embed with the current state. Everyone sees it, so it leaves out what only the DM may
// know, such as directions.
func (s *statusMessage) buildEmbed(ctx context.Context) *discordgo.MessageEmbed {
	e := &discordgo.MessageEmbed{Title: s.embedTitle()}
	if all, err := s.table.Status(ctx); err == nil && len(all) > 0 {
		var lines []string
		for _, npc := range all {
			lines = append(lines, npcStatusLine(s.lang, npc))
		}
		e.Fields = append(e.Fields, embedField(s.lang, WhoIsThere.In(s.lang), lines))
	}
	e.Fields = append(e.Fields, s.voice.voiceFields()...)
	return e
}

// npcStatusLine describes an NPC as players may see it: its tier if changed, and whether it is muted.
func npcStatusLine(l Language, s table.Status) string {
	line := clipText(escapeMarkup(s.Name), maxRow)
	if s.Lease != nil || s.Ceiling < s.Tier {
		line = tierLine(l, s)
	}
	if s.Muted {
		return Silent.In(l, line)
	}
	return line
}

// countLines returns the counts for DMs: answers within and over budget, and the latest problems.
func (s *statusMessage) countLines(l Language) (lines []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	late := 0
	for _, n := range s.breached {
		late += n
	}
	switch {
	case late > 0:
		lines = append(lines, AnswersLate.In(l, AnswersCount.Of(s.met), late, breachCauses(l, s.breached)))
	case s.met > 0:
		lines = append(lines, AnswersCount.In(l, s.met))
	}
	for _, t := range s.troubles {
		lines = append(lines, TroubleLine.In(l, t.at.Unix(), escapeMarkup(Translate(l, t.text)), Times.Of(t.times)))
	}
	return lines
}

// breachCauses lists stages by how often they caused a late answer, most frequent first.
func breachCauses(l Language, by map[string]int) string {
	stages := slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(by[b]-by[a], strings.Compare(a, b)) })
	var out []string
	for _, stage := range stages {
		out = append(out, fmt.Sprintf("%s: %d", stageWord(l, stage), by[stage]))
	}
	return strings.Join(out, ", ")
}

// embedField returns a field with as many complete lines as fit.
func embedField(l Language, name string, lines []string) *discordgo.MessageEmbedField {
	const reserved = 20 // for the count of missing lines
	var kept []string
	length := 0
	for i, line := range lines {
		n := len([]rune(line)) + 1
		if length+n > maxField-reserved && (i < len(lines)-1 || length+n > maxField) {
			kept = append(kept, MoreLines.In(l, len(lines)-i))
			break
		}
		kept, length = append(kept, line), length+n
	}
	return &discordgo.MessageEmbedField{Name: name, Value: strings.Join(kept, "\n")}
}

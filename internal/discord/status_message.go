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
	// statusEvery is the least time between two changes of the message, and how often
	// it is looked for what no event tells.
	statusEvery = 10 * time.Second
	// statusDelay lets what happens together be shown together, and the answer to
	// /session start come first.
	statusDelay = time.Second
	// maxTroubles is how many of the latest warnings and errors are kept.
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
}

// noticeSink is told everything that a status message is, and what that has to say
// itself.
type noticeSink interface {
	table.Sink
	postNotice(level, text string)
}

// statusMessage is a message that shows how a session goes: who is at the table, and who
// may think for longer. It changes at most every ten seconds, and only if there is
// something new. What only DMs are told who ask, it counts. It is a table.Sink.
type statusMessage struct {
	rest    *RestClient
	channel string
	lang    Language
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

func newStatusMessage(a *RestClient, channel string, l Language, next noticeSink) *statusMessage {
	return &statusMessage{rest: a, channel: channel, lang: l, next: next, due: make(chan struct{}, 1)}
}

// Emit implements table.Sink.
func (s *statusMessage) Emit(e table.Event) {
	s.timings.recordEvent(e)
	if s.noteEvent(e) {
		wakeup.Signal(s.due)
	}
	s.next.Emit(e)
}

// noteEvent takes in what happens, and reports whether the message shows it.
func (s *statusMessage) noteEvent(e table.Event) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := e.(type) {
	case *table.Tier:
		return true
	case *table.TurnEnded:
		switch {
		case !wantsAnswer(e.Outcome):
		case metBudget(e.Ledger):
			s.met++
		default:
			if s.breached == nil {
				s.breached = map[string]int{}
			}
			s.breached[e.Ledger.BreachStage]++
		}
		return true // a raise may have one answer less
	case *table.Notice:
		if e.Level != "info" {
			s.noteTrouble(table.HeaderOf(e).Time, e.Text)
		}
	}
	return false
}

// noteTold takes in a warning that is of no turn.
func (s *statusMessage) noteTold(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noteTrouble(time.Now(), text)
}

// noteTrouble takes in a warning; one that comes again is not told twice.
func (s *statusMessage) noteTrouble(at time.Time, text string) {
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

// run keeps the message up to date until ctx ends, and then says that the session has ended.
// It returns an error if the channel is closed to the bot.
func (s *statusMessage) run(ctx context.Context) error {
	look := time.NewTimer(statusEvery)
	defer look.Stop()
	for wait := statusDelay; WaitFor(ctx, wait); {
		select {
		case <-s.due: // it is about to be shown
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
		case ErrorCode(err) == discordgo.ErrCodeUnknownMessage: // nobody wants it
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
		e := &discordgo.MessageEmbed{Title: s.embedTitle(), Description: SessionIsOver.In(s.lang)}
		_, _ = s.editMessage(ctx, e) // nobody can do anything about it any more
	}
	return nil
}

// channelClosed reports whether a channel is gone, or hidden from the bot.
func channelClosed(err error) bool {
	code := ErrorCode(err)
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
		WaitFor(longer, while)
		cancel()
	})
	return longer, func() { stop(); cancel() }
}

// editMessage changes the message, and reports whether it is gone.
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

// buildEmbed is how the session goes now. Everybody sees it: what only the DM knows,
// such as directions, is not in it.
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

// npcStatusLine is an NPC as everybody may know it: whether it may think for longer, and
// whether it is silent.
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

// countLines are what DMs are told of the session so far: how many answers came in
// time, and what went wrong lately.
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

// breachCauses lists stages by how often each was the reason, most often first.
func breachCauses(l Language, by map[string]int) string {
	stages := slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(by[b]-by[a], strings.Compare(a, b)) })
	var out []string
	for _, stage := range stages {
		out = append(out, fmt.Sprintf("%s: %d", stageWord(l, stage), by[stage]))
	}
	return strings.Join(out, ", ")
}

// embedField is a field of an embed with as many of the lines as fit; a line is shown
// as a whole, or not.
func embedField(l Language, name string, lines []string) *discordgo.MessageEmbedField {
	const reserved = 20 // for what says how many are missing
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

package discord

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/discord/markup"
	"github.com/MrWong99/glyphoxa/internal/discord/rest"
	"github.com/MrWong99/glyphoxa/internal/discord/wording"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

const (
	// maxUnsent bounds what waits to be posted; beyond that the table waits.
	maxUnsent = 256
	// A sentence waits for the next one of the same answer, so that a quick answer
	// is one message and a slow one comes in pieces: the first of an answer for
	// firstSentenceWait, since somebody waits for it, and later ones for sentenceWait.
	firstSentenceWait = 150 * time.Millisecond
	sentenceWait      = 800 * time.Millisecond
	// typingAfter is how long an answer may take before the bot shows that one is
	// coming, and typingAgain how often it repeats that: Discord forgets it after
	// ten seconds.
	typingAfter = 200 * time.Millisecond
	typingAgain = 8 * time.Second
)

// sender posts what happens at a table in a channel, each message once and in order:
// the NPCs' lines through a webhook, each under its NPC's name. It is a table.Sink.
type sender struct {
	rest            *rest.Client
	log             *slog.Logger
	channel, parent string
	lang            wording.Language
	lost            func(why string) // called once, when nothing can be posted any more
	// unread is told what was given up and not heard. It does not wait.
	unread func(table.Unread)
	// aloud reports whether what NPCs say now is heard. It does not wait.
	aloud func() bool
	// say tells the operator.
	say   func(text string)
	lines *postedLines

	queue   chan piece
	hurried chan struct{} // closed by hurry
	closing chan struct{} // closed by sendRest
	done    chan struct{} // closed when run has ended
	rush    sync.Once     // of hurried
	stop    sync.Once     // of closing

	mu       sync.Mutex // guards the fields below
	barred   error      // why the bot may not post in the channel any more
	webhook  *discordgo.Webhook
	webhooks []string             // ids of this one and of those before
	echoes   []*discordgo.Message // the bot's own, as the gateway told of them
	home     home
	avatars  map[string]string // by NPC
	thinking map[int64]bool    // turns
	thought  chan struct{}     // receives when thinking changes

	// Owned by run.
	npc   string // whose sentences wait
	turn  int64
	text  string
	since time.Time // the first of them
	heard bool      // they were
	begun int64     // the turn of which something was posted last
	// posted is the last message of the channel that was there before what is being
	// posted now.
	posted    string
	heldSince time.Time // when the first message was due that waits; zero if none does
	heldTold  bool      // the operator knows
	losses    []loss    // that the channel is yet to be told of
	lossTold  *posting  // what tells it of some of them, not taken yet
}

// piece is something to post. Without an NPC it is the bot's own.
type piece struct {
	npc, text string
	turn      int64
	end       bool      // of the turn
	unsaid    bool      // what was said in the turn is taken back, and not to be posted
	heard     bool      // somebody heard it, too
	due       time.Time // when it came
}

func newSender(a *rest.Client, log *slog.Logger, channel, parent string, l wording.Language) *sender {
	return &sender{
		rest: a, log: log, channel: channel, parent: parent, lang: l, lost: func(string) {}, unread: func(table.Unread) {}, aloud: func() bool { return false }, say: func(string) {},
		posted: "0", lines: newPostedLines(),
		queue: make(chan piece, maxUnsent), hurried: make(chan struct{}), closing: make(chan struct{}), done: make(chan struct{}),
		thinking: map[int64]bool{}, thought: make(chan struct{}, 1),
	}
}

// findWebhook finds or makes the webhook. Without the right to do so the bot
// speaks for the NPCs itself.
func (s *sender) findWebhook(ctx context.Context) error {
	home := s.channel
	if s.parent != "" {
		home = s.parent
	}
	w, err := s.rest.FindOrCreateWebhook(ctx, home)
	if err != nil && rest.ErrorCode(err) != discordgo.ErrCodeMissingPermissions && rest.ErrorCode(err) != discordgo.ErrCodeMissingAccess {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.webhook = nil
	if err == nil {
		s.webhook = w
		s.webhooks = append(s.webhooks, w.ID)
	}
	return nil
}

// hasWebhook reports whether NPCs speak under their own names.
func (s *sender) hasWebhook() bool { return s.webhookID() != "" }

func (s *sender) webhookID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.webhook == nil {
		return ""
	}
	return s.webhook.ID
}

// setAvatars learns what the NPCs look like.
func (s *sender) setAvatars(all []config.NPC) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.avatars = map[string]string{}
	for _, n := range all {
		s.avatars[n.Name] = n.Avatar
	}
}

// Emit implements table.Sink. It waits while too much is to be posted.
func (s *sender) Emit(e table.Event) {
	turn := table.HeaderOf(e).Turn
	if table.HeaderOf(e).Whisper { // who whispered is answered alone
		return
	}
	switch e := e.(type) {
	case *table.TurnStarted:
		s.markThinking(turn, true)
	case *table.Sentence:
		s.enqueue(piece{npc: e.NPC, text: e.Text, turn: turn, heard: s.aloud()})
	case *table.CutSentence:
		s.enqueue(piece{npc: e.NPC, text: e.Text, turn: turn, heard: true})
	case *table.Filler:
		s.enqueue(piece{npc: e.NPC, text: e.Text, turn: turn, heard: s.aloud()})
	case *table.Unsaid:
		s.lines.markUnsaid(turn)
		s.enqueue(piece{turn: turn, unsaid: true})
	case *table.Erased:
		s.lines.markErased(turn)
	case *table.TurnEnded:
		s.markThinking(turn, false)
		s.enqueue(piece{turn: turn, end: true})
	}
	if told := playersNotice(e); told != nil {
		s.enqueue(piece{text: noticeText("warning", told.In(s.lang))})
	}
}

// enqueue hands run something to post. What comes after run has ended is dropped.
func (s *sender) enqueue(p piece) {
	p.due = time.Now()
	select {
	case s.queue <- p:
	case <-s.done:
	}
}

// postNotice posts a message of the bot. It does not wait: if too much is to be
// posted, the message is dropped.
func (s *sender) postNotice(level, text string) {
	if level == "info" {
		return
	}
	select {
	case s.queue <- piece{text: noticeText(level, text), due: time.Now()}:
	default:
		s.log.Warn("a notice was not posted", "text", text)
	}
}

// noticeText is how a notice looks: small, and not like anybody's speech.
func noticeText(level, text string) string {
	mark := ""
	if level == "warning" || level == "error" {
		mark = "⚠ "
	}
	return "-# " + mark + strings.Join(strings.Fields(markup.ShortenPaths(text)), " ")
}

// markThinking notes that a turn began or ended.
func (s *sender) markThinking(turn int64, on bool) {
	s.mu.Lock()
	if on {
		s.thinking[turn] = true
	} else {
		delete(s.thinking, turn)
	}
	s.mu.Unlock()
	wakeup.Signal(s.thought)
}

// hurry has what waits to be posted given up sooner: the end is near.
func (s *sender) hurry() { s.rush.Do(func() { close(s.hurried) }) }

// sendRest lets run post what waits and end.
func (s *sender) sendRest() {
	s.stop.Do(func() { close(s.closing) })
	<-s.done
}

// run posts what is queued, until sendRest, or until ctx ends.
func (s *sender) run(ctx context.Context) {
	defer close(s.done)
	var typing sync.WaitGroup
	defer typing.Wait()
	quiet, cancel := context.WithCancel(ctx)
	defer cancel()
	typing.Go(func() { s.showTyping(quiet) })
	ctx, end := context.WithCancel(ctx)
	defer end()
	typing.Go(func() { // what is being tried when the end comes has a while yet
		select {
		case <-s.closing:
			rest.Wait(ctx, closeTimeout)
			end()
		case <-ctx.Done():
		}
	})
	settled := make(chan struct{}) // nothing more is posted
	var deleting sync.WaitGroup
	defer deleting.Wait()
	defer close(settled)
	deleting.Go(func() { s.deleteErased(ctx, settled) })
	due := time.NewTimer(sentenceWait)
	defer due.Stop()
	again := time.NewTicker(longestRetry)
	defer again.Stop()
	for {
		select {
		case p := <-s.queue:
			if wait := s.addPiece(ctx, p); wait > 0 {
				due.Reset(wait)
			}
		case <-due.C:
			s.postSentences(ctx)
		case <-again.C:
			s.tellLosses(ctx)
		case <-s.closing:
			cancel()
			s.drainQueue(ctx)
			return
		case <-ctx.Done():
			s.drainQueue(ctx)
			return
		}
	}
}

// drainQueue posts what still waits, for as long as ctx lets it.
func (s *sender) drainQueue(ctx context.Context) {
	for {
		select {
		case p := <-s.queue:
			s.addPiece(ctx, p)
			continue
		default:
		}
		s.postSentences(ctx)
		return
	}
}

// addPiece adds a piece to what waits, or posts it. For the first piece that waits
// it returns for how long.
func (s *sender) addPiece(ctx context.Context, p piece) (wait time.Duration) {
	switch {
	case p.unsaid:
		if s.turn == p.turn {
			s.text = ""
		}
		return 0
	case p.npc != "" && s.lines.isUnsaid(p.turn):
		return 0
	case p.end:
		if p.turn == s.turn {
			s.postSentences(ctx)
		}
		return 0
	}
	if s.text != "" && (p.npc != s.npc || p.turn != s.turn || p.heard != s.heard) {
		s.postSentences(ctx)
	}
	switch {
	case p.npc == "":
		s.deliver(ctx, posting{text: p.text, since: p.due})
		return 0
	case s.text != "":
		s.text += " " + p.text
		return 0
	}
	s.npc, s.turn, s.text, s.since, s.heard = p.npc, p.turn, p.text, p.due, p.heard
	if s.begun == p.turn {
		return sentenceWait
	}
	return firstSentenceWait
}

// postSentences posts the sentences that wait.
func (s *sender) postSentences(ctx context.Context) {
	text := s.text
	if text == "" {
		return
	}
	s.text, s.begun = "", s.turn
	for _, part := range splitLine(s.npc, text) {
		s.deliver(ctx, posting{npc: s.npc, turn: s.turn, text: part, since: s.since, heard: s.heard})
	}
}

// showTyping shows that an answer is coming while one is.
func (s *sender) showTyping(ctx context.Context) {
	for {
		select {
		case <-s.thought:
		case <-ctx.Done():
			return
		}
		for wait := typingAfter; s.anyThinking() && rest.Wait(ctx, wait) && s.anyThinking(); wait = typingAgain {
			if err := s.rest.ShowTyping(ctx, s.channel); err != nil && ctx.Err() == nil {
				s.log.Debug("showing that an answer comes", "reason", err)
				break
			}
		}
	}
}

func (s *sender) anyThinking() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.thinking) > 0
}

package discord

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

const (
	// maxUnsent bounds the pieces waiting to be posted. A full queue blocks the table.
	maxUnsent = 256
	// A sentence waits for the next one of the same answer, so that a fast answer is one message and a slow
	// one several. The first sentence of an answer waits for firstSentenceWait, because a player is waiting
	// for it, and later ones for sentenceWait.
	firstSentenceWait = 150 * time.Millisecond
	sentenceWait      = 800 * time.Millisecond
	// typingAfter is the delay before the bot shows a typing indicator for an answer, and typingInterval the
	// interval of repeating it. Discord removes it after ten seconds.
	typingAfter    = 200 * time.Millisecond
	typingInterval = 8 * time.Second
)

// sender posts a table's events in a channel, each message once and in order. NPCs' lines go through a
// webhook under each NPC's name. It is a table.Sink. The goroutine of run posts what other goroutines
// enqueue. Methods that run does not call are safe for concurrent use.
type sender struct {
	rest            *RestClient
	log             *slog.Logger
	channel, parent string // parent is the thread's channel, "" outside threads
	lang            Language
	hooks           senderHooks
	lines           *postedLines

	queue  chan piece // capacity maxUnsent
	ending senderEnding
	typing typing
	shared senderShared

	// Owned by run.
	waiting        posting // sentences of one answer to post as one message; none if its text is empty
	lastAnswerTurn int64   // the turn of the last posted answer
	posted         string  // id of the channel's last message before the one being posted
	delay          delay
	losses         losses
}

// senderHooks connect a sender to the rest of the session. They must not block or be nil, and are set before
// run.
type senderHooks struct {
	channelLost func(why string)   // called once, when the channel is closed to the bot
	unread      func(table.Unread) // called for a line that was neither posted nor heard
	audible     func() bool        // reports whether the NPCs can be heard now
	report      func(text string)  // reports to the operator
}

// senderEnding controls the shutdown of a sender.
type senderEnding struct {
	hurry   sync.Once
	hurried chan struct{} // closed by hurry: give up retries sooner
	stop    sync.Once
	closing chan struct{} // closed by sendRest: post the queue, then end
	done    chan struct{} // closed when run returns
}

// senderShared is the state that any goroutine may read and write.
type senderShared struct {
	mu           sync.Mutex           // guards the fields below
	barred       error                // why the bot cannot post in the channel; nil if it can
	webhook      *discordgo.Webhook   // nil if the bot posts the NPCs' lines itself
	webhooks     []string             // ids of this webhook and earlier ones
	avatars      map[string]string    // by NPC name
	echoes       []*discordgo.Message // the bot's own messages from the gateway, at most maxEchoes
	reportTarget reportTarget
}

// typing tracks the turns being answered, for the typing indicator. It is safe for concurrent use.
type typing struct {
	mu      sync.Mutex // guards turns
	turns   map[int64]bool
	changed chan struct{} // receives when turns changes
}

// piece is something to post. Without an NPC it is a message of the bot.
type piece struct {
	npc, text  string
	turn       int64
	end        bool      // of the turn
	retracted  bool      // the turn was taken back and must not be posted
	heard      bool      // the line was also heard
	enqueuedAt time.Time // when it was enqueued
}

// newSender returns a sender with no-op hooks and without a webhook.
func newSender(a *RestClient, log *slog.Logger, channel, parent string, l Language) *sender {
	return &sender{
		rest: a, log: log, channel: channel, parent: parent, lang: l, posted: "0", lines: newPostedLines(), queue: make(chan piece, maxUnsent),
		hooks:  senderHooks{func(string) {}, func(table.Unread) {}, func() bool { return false }, func(string) {}},
		ending: senderEnding{hurried: make(chan struct{}), closing: make(chan struct{}), done: make(chan struct{})},
		typing: typing{turns: map[int64]bool{}, changed: make(chan struct{}, 1)},
	}
}

// findWebhook finds or creates the webhook. Without the permission to do so, the bot posts the NPCs' lines
// itself.
func (s *sender) findWebhook(ctx context.Context) error {
	home := s.channel
	if s.parent != "" {
		home = s.parent
	}
	w, err := s.rest.FindOrCreateWebhook(ctx, home)
	if err != nil && ErrorCode(err) != discordgo.ErrCodeMissingPermissions && ErrorCode(err) != discordgo.ErrCodeMissingAccess {
		return err
	}
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	s.shared.webhook = nil
	if err == nil {
		s.shared.webhook = w
		s.shared.webhooks = append(s.shared.webhooks, w.ID)
	}
	return nil
}

// hasWebhook reports whether NPCs post under their own names.
func (s *sender) hasWebhook() bool { return s.webhookID() != "" }

func (s *sender) webhookID() string {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	if s.shared.webhook == nil {
		return ""
	}
	return s.shared.webhook.ID
}

// setAvatars sets the NPCs' avatars.
func (s *sender) setAvatars(all []config.NPC) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	s.shared.avatars = map[string]string{}
	for _, n := range all {
		s.shared.avatars[n.Name] = n.Avatar
	}
}

// Emit implements table.Sink. It blocks while the queue is full.
func (s *sender) Emit(e table.Event) {
	turn := table.HeaderOf(e).Turn
	if table.HeaderOf(e).Whisper { // only the whisperer sees the answer
		return
	}
	switch e := e.(type) {
	case *table.TurnStarted:
		s.typing.mark(turn, true)
	case *table.Sentence:
		s.enqueue(piece{npc: e.NPC, text: e.Text, turn: turn, heard: s.hooks.audible()})
	case *table.CutSentence:
		s.enqueue(piece{npc: e.NPC, text: e.Text, turn: turn, heard: true})
	case *table.Filler:
		s.enqueue(piece{npc: e.NPC, text: e.Text, turn: turn, heard: s.hooks.audible()})
	case *table.Unsaid:
		s.lines.markRetracted(turn)
		s.enqueue(piece{turn: turn, retracted: true})
	case *table.Erased:
		s.lines.markErased(turn)
	case *table.TurnEnded:
		s.typing.mark(turn, false)
		s.enqueue(piece{turn: turn, end: true})
	}
	if told := playersNotice(e); told != nil {
		s.enqueue(piece{text: noticeText("warning", told.In(s.lang))})
	}
}

// enqueue queues a piece for run. After run has returned, pieces are dropped.
func (s *sender) enqueue(p piece) {
	p.enqueuedAt = time.Now()
	select {
	case s.queue <- p:
	case <-s.ending.done:
	}
}

// postNotice posts a message of the bot. It does not block: if the queue is full, it drops and logs the
// message. Level "info" is not posted.
func (s *sender) postNotice(level, text string) {
	if level == "info" {
		return
	}
	select {
	case s.queue <- piece{text: noticeText(level, text), enqueuedAt: time.Now()}:
	default:
		s.log.Warn("a notice was not posted", "text", text)
	}
}

// noticeText formats a notice in small print, so that it does not look like speech.
func noticeText(level, text string) string {
	mark := ""
	if level == "warning" || level == "error" {
		mark = "⚠ "
	}
	return "-# " + mark + strings.Join(strings.Fields(shortenPaths(text)), " ")
}

// mark records that a turn began or ended.
func (t *typing) mark(turn int64, on bool) {
	t.mu.Lock()
	if on {
		t.turns[turn] = true
	} else {
		delete(t.turns, turn)
	}
	t.mu.Unlock()
	wakeup.Signal(t.changed)
}

// any reports whether a turn is being answered.
func (t *typing) any() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.turns) > 0
}

// hurry makes the sender give up retries sooner, because the session is ending.
func (s *sender) hurry() { s.ending.hurry.Do(func() { close(s.ending.hurried) }) }

// sendRest makes run post the queue and return.
func (s *sender) sendRest() {
	s.ending.stop.Do(func() { close(s.ending.closing) })
	<-s.ending.done
}

// run posts the queue until sendRest or until ctx ends.
func (s *sender) run(ctx context.Context) {
	defer close(s.ending.done)
	var typing sync.WaitGroup
	defer typing.Wait()
	quiet, cancel := context.WithCancel(ctx)
	defer cancel()
	typing.Go(func() { s.showTyping(quiet) })
	ctx, end := context.WithCancel(ctx)
	defer end()
	typing.Go(func() { // give the attempts in progress some more time
		select {
		case <-s.ending.closing:
			WaitFor(ctx, closeTimeout)
			end()
		case <-ctx.Done():
		}
	})
	settled := make(chan struct{}) // closed when posting has ended
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
			s.reportLosses(ctx)
		case <-s.ending.closing:
			cancel()
			s.drainQueue(ctx)
			return
		case <-ctx.Done():
			s.drainQueue(ctx)
			return
		}
	}
}

// drainQueue posts the queue, as far as ctx allows.
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

// addPiece adds a piece to the waiting message, or posts it. If it starts a new message, it returns how long
// the message waits.
func (s *sender) addPiece(ctx context.Context, p piece) (wait time.Duration) {
	switch {
	case p.retracted:
		if s.waiting.turn == p.turn {
			s.waiting.text = ""
		}
		return 0
	case p.npc != "" && s.lines.isRetracted(p.turn):
		return 0
	case p.end:
		if p.turn == s.waiting.turn {
			s.postSentences(ctx)
		}
		return 0
	}
	w := &s.waiting
	if w.text != "" && (p.npc != w.npc || p.turn != w.turn || p.heard != w.heard) {
		s.postSentences(ctx)
	}
	switch {
	case p.npc == "":
		s.deliver(ctx, posting{text: p.text, since: p.enqueuedAt})
		return 0
	case w.text != "":
		w.text += " " + p.text
		return 0
	}
	*w = posting{npc: p.npc, turn: p.turn, text: p.text, since: p.enqueuedAt, heard: p.heard}
	if s.lastAnswerTurn == p.turn {
		return sentenceWait
	}
	return firstSentenceWait
}

// postSentences posts the waiting message.
func (s *sender) postSentences(ctx context.Context) {
	p := s.waiting
	if p.text == "" {
		return
	}
	s.waiting.text, s.lastAnswerTurn = "", p.turn
	for _, part := range splitLine(p.npc, p.text) {
		p.text = part
		s.deliver(ctx, p)
	}
}

// showTyping shows the typing indicator while an answer is in progress.
func (s *sender) showTyping(ctx context.Context) {
	for {
		select {
		case <-s.typing.changed:
		case <-ctx.Done():
			return
		}
		for wait := typingAfter; s.typing.any() && WaitFor(ctx, wait) && s.typing.any(); wait = typingInterval {
			if err := s.rest.ShowTyping(ctx, s.channel); err != nil && ctx.Err() == nil {
				s.log.Debug("showing that an answer comes", "reason", err)
				break
			}
		}
	}
}

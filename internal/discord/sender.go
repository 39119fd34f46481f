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
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
)

const (
	// maxUnsent bounds what waits to be posted; beyond that the table waits.
	maxUnsent = 256
	// A sentence waits for the next one of the same answer, so that a quick answer
	// is one message and a slow one comes in pieces: the first of an answer for
	// firstLinger, since somebody waits for it, and later ones for linger.
	firstSentenceWait = 150 * time.Millisecond
	sentenceWait      = 800 * time.Millisecond
	// typingAfter is how long an answer may take before the bot shows that one is
	// coming, and typingAgain how often it repeats that: Discord forgets it after
	// ten seconds.
	typingAfter = 200 * time.Millisecond
	typingAgain = 8 * time.Second
)

// sender posts what happens at a table in a channel: the NPCs' lines through a
// webhook, each under its NPC's name. It is a table.Sink.
type sender struct {
	rest            *rest.Client
	log             *slog.Logger
	channel, parent string
	lost            func(why string) // called once, when nothing can be posted any more
	gone            sync.Once        // of lost

	queue   chan piece
	closing chan struct{} // closed by finish
	done    chan struct{} // closed when run has ended
	stop    sync.Once

	mu       sync.Mutex // guards the fields below
	webhook  *discordgo.Webhook
	avatars  map[string]string // by NPC
	thinking map[int64]bool    // turns
	thought  chan struct{}     // receives when thinking changes

	// Owned by run.
	npc   string // whose sentences wait
	turn  int64
	text  string
	begun int64 // the turn of which something was posted last
}

// piece is something to post. Without an NPC it is the bot's own.
type piece struct {
	npc, text string
	turn      int64
	end       bool // of the turn
}

func newSender(a *rest.Client, log *slog.Logger, channel, parent string) *sender {
	return &sender{
		rest: a, log: log, channel: channel, parent: parent, lost: func(string) {},
		queue: make(chan piece, maxUnsent), closing: make(chan struct{}), done: make(chan struct{}),
		thinking: map[int64]bool{}, thought: make(chan struct{}, 1),
	}
}

// findWebhook finds or makes the webhook. Without the right to do so the bot
// speaks for the NPCs itself.
func (m *sender) findWebhook(ctx context.Context) error {
	home := m.channel
	if m.parent != "" {
		home = m.parent
	}
	w, err := m.rest.FindOrCreateWebhook(ctx, home)
	if err != nil && rest.ErrorCode(err) != discordgo.ErrCodeMissingPermissions && rest.ErrorCode(err) != discordgo.ErrCodeMissingAccess {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.webhook = nil
	if err == nil {
		m.webhook = w
	}
	return nil
}

// hasWebhook reports whether NPCs speak under their own names.
func (m *sender) hasWebhook() bool { return m.webhookID() != "" }

func (m *sender) webhookID() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.webhook == nil {
		return ""
	}
	return m.webhook.ID
}

// setAvatars learns what the NPCs look like.
func (m *sender) setAvatars(all []config.NPC) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.avatars = map[string]string{}
	for _, n := range all {
		m.avatars[n.Name] = n.Avatar
	}
}

// Emit implements table.Sink. It waits while too much is to be posted.
func (m *sender) Emit(e table.Event) {
	turn := table.HeaderOf(e).Turn
	switch e := e.(type) {
	case *table.TurnStarted:
		m.markThinking(turn, true)
	case *table.Sentence:
		m.enqueue(piece{npc: e.NPC, text: e.Text, turn: turn})
	case *table.Filler:
		m.enqueue(piece{npc: e.NPC, text: e.Text, turn: turn})
	case *table.Notice:
		if e.Level != "info" {
			m.enqueue(piece{text: noticeText(e.Level, e.Text)})
		}
	case *table.TurnEnded:
		m.markThinking(turn, false)
		m.enqueue(piece{turn: turn, end: true})
	}
}

// enqueue hands run something to post. What comes after run has ended is dropped.
func (m *sender) enqueue(p piece) {
	select {
	case m.queue <- p:
	case <-m.done:
	}
}

// postNotice posts a message of the bot. It does not wait: if too much is to be
// posted, the message is dropped.
func (m *sender) postNotice(level, text string) {
	if level == "info" {
		return
	}
	select {
	case m.queue <- piece{text: noticeText(level, text)}:
	default:
		m.log.Warn("a notice was not posted", "text", text)
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
func (m *sender) markThinking(turn int64, on bool) {
	m.mu.Lock()
	if on {
		m.thinking[turn] = true
	} else {
		delete(m.thinking, turn)
	}
	m.mu.Unlock()
	wakeup.Signal(m.thought)
}

// sendRest lets run post what waits and end.
func (m *sender) sendRest() {
	m.stop.Do(func() { close(m.closing) })
	<-m.done
}

// run posts what is pushed, until finish, or until ctx ends.
func (m *sender) run(ctx context.Context) {
	defer close(m.done)
	var typing sync.WaitGroup
	defer typing.Wait()
	quiet, cancel := context.WithCancel(ctx)
	defer cancel()
	typing.Go(func() { m.showTyping(quiet) })
	due := time.NewTimer(sentenceWait)
	defer due.Stop()
	for {
		select {
		case p := <-m.queue:
			if wait := m.addPiece(ctx, p); wait > 0 {
				due.Reset(wait)
			}
		case <-due.C:
			m.postSentences(ctx)
		case <-m.closing:
			cancel()
			m.drainQueue()
			return
		case <-ctx.Done():
			m.drainQueue()
			return
		}
	}
}

// drainQueue posts what still waits, for as long as a farewell may take.
func (m *sender) drainQueue() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	for {
		select {
		case p := <-m.queue:
			m.addPiece(ctx, p)
			continue
		default:
		}
		m.postSentences(ctx)
		return
	}
}

// addPiece adds a piece to what waits, or posts it. For the first piece that waits
// it returns for how long.
func (m *sender) addPiece(ctx context.Context, p piece) (wait time.Duration) {
	if p.end {
		if p.turn == m.turn {
			m.postSentences(ctx)
		}
		return 0
	}
	if m.text != "" && (p.npc != m.npc || p.turn != m.turn) {
		m.postSentences(ctx)
	}
	switch {
	case p.npc == "":
		m.postAsBot(ctx, p.text)
		return 0
	case m.text != "":
		m.text += " " + p.text
		return 0
	}
	m.npc, m.turn, m.text = p.npc, p.turn, p.text
	if m.begun == p.turn {
		return sentenceWait
	}
	return firstSentenceWait
}

// postSentences posts the sentences that wait.
func (m *sender) postSentences(ctx context.Context) {
	text := m.text
	if text == "" {
		return
	}
	m.text, m.begun = "", m.turn
	for _, part := range markup.Split(text, markup.MaxMessage) {
		m.postLine(ctx, m.npc, part)
	}
}

// showTyping shows that an answer is coming while one is.
func (m *sender) showTyping(ctx context.Context) {
	for {
		select {
		case <-m.thought:
		case <-ctx.Done():
			return
		}
		for wait := typingAfter; m.anyThinking() && rest.Wait(ctx, wait) && m.anyThinking(); wait = typingAgain {
			if err := m.rest.ShowTyping(ctx, m.channel); err != nil && ctx.Err() == nil {
				m.log.Debug("showing that an answer comes", "reason", err)
				break
			}
		}
	}
}

func (m *sender) anyThinking() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.thinking) > 0
}

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
// the NPCs' lines through a webhook, each under its NPC's name. It is a table.Sink. One goroutine,
// run, posts what others enqueue; the methods that it does not call are safe for concurrent use.
type sender struct {
	rest            *RestClient
	log             *slog.Logger
	channel, parent string // parent is that of a thread, empty for any other channel
	lang            Language
	hooks           senderHooks
	lines           *postedLines

	queue  chan piece // maxUnsent
	ending senderEnding
	typing typing
	shared senderShared

	// Owned by run.
	waiting posting // sentences of one answer that are to be one message; without text there are none
	begun   int64   // the turn of which something was posted last
	posted  string  // id of the last message of the channel that was there before what is being posted
	delay   delay
	losses  losses
}

// senderHooks are what a sender reports, and asks, outside its channel. None waits, and none is
// nil; they are set before run.
type senderHooks struct {
	lost   func(why string)   // called once, when nothing can be posted any more
	unread func(table.Unread) // called for what was given up and not heard
	aloud  func() bool        // reports whether what NPCs say now is heard
	say    func(text string)  // writes to the operator
}

// senderEnding is how a sender comes to its end.
type senderEnding struct {
	hurry   sync.Once
	hurried chan struct{} // closed by hurry: what waits is given up sooner
	stop    sync.Once
	closing chan struct{} // closed by sendRest: what waits is posted, and nothing after that
	done    chan struct{} // closed when run has ended
}

// senderShared is what any goroutine may read and write of a sender.
type senderShared struct {
	mu       sync.Mutex           // guards the fields below
	barred   error                // why the bot may not post in the channel any more; nil if it may
	webhook  *discordgo.Webhook   // nil if the bot speaks for the NPCs
	webhooks []string             // ids of this one and of those before
	avatars  map[string]string    // by NPC
	echoes   []*discordgo.Message // the bot's own, as the gateway told of them, at most maxEchoes
	home     home
}

// typing is which turns are being answered, so that the channel shows it. It is safe for
// concurrent use.
type typing struct {
	mu      sync.Mutex // guards turns
	turns   map[int64]bool
	changed chan struct{} // receives when turns changes
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

// newSender returns a sender with hooks that do nothing, and without a webhook.
func newSender(a *RestClient, log *slog.Logger, channel, parent string, l Language) *sender {
	return &sender{
		rest: a, log: log, channel: channel, parent: parent, lang: l, posted: "0", lines: newPostedLines(), queue: make(chan piece, maxUnsent),
		hooks:  senderHooks{func(string) {}, func(table.Unread) {}, func() bool { return false }, func(string) {}},
		ending: senderEnding{hurried: make(chan struct{}), closing: make(chan struct{}), done: make(chan struct{})},
		typing: typing{turns: map[int64]bool{}, changed: make(chan struct{}, 1)},
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

// hasWebhook reports whether NPCs speak under their own names.
func (s *sender) hasWebhook() bool { return s.webhookID() != "" }

func (s *sender) webhookID() string {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	if s.shared.webhook == nil {
		return ""
	}
	return s.shared.webhook.ID
}

// setAvatars sets what the NPCs look like.
func (s *sender) setAvatars(all []config.NPC) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	s.shared.avatars = map[string]string{}
	for _, n := range all {
		s.shared.avatars[n.Name] = n.Avatar
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
		s.typing.mark(turn, true)
	case *table.Sentence:
		s.enqueue(piece{npc: e.NPC, text: e.Text, turn: turn, heard: s.hooks.aloud()})
	case *table.CutSentence:
		s.enqueue(piece{npc: e.NPC, text: e.Text, turn: turn, heard: true})
	case *table.Filler:
		s.enqueue(piece{npc: e.NPC, text: e.Text, turn: turn, heard: s.hooks.aloud()})
	case *table.Unsaid:
		s.lines.markUnsaid(turn)
		s.enqueue(piece{turn: turn, unsaid: true})
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

// enqueue hands run something to post. What comes after run has ended is dropped.
func (s *sender) enqueue(p piece) {
	p.due = time.Now()
	select {
	case s.queue <- p:
	case <-s.ending.done:
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

// hurry has what waits to be posted given up sooner: the end is near.
func (s *sender) hurry() { s.ending.hurry.Do(func() { close(s.ending.hurried) }) }

// sendRest lets run post what waits and end.
func (s *sender) sendRest() {
	s.ending.stop.Do(func() { close(s.ending.closing) })
	<-s.ending.done
}

// run posts what is queued, until sendRest, or until ctx ends.
func (s *sender) run(ctx context.Context) {
	defer close(s.ending.done)
	var typing sync.WaitGroup
	defer typing.Wait()
	quiet, cancel := context.WithCancel(ctx)
	defer cancel()
	typing.Go(func() { s.showTyping(quiet) })
	ctx, end := context.WithCancel(ctx)
	defer end()
	typing.Go(func() { // what is being tried when the end comes has a while yet
		select {
		case <-s.ending.closing:
			WaitFor(ctx, closeTimeout)
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
		if s.waiting.turn == p.turn {
			s.waiting.text = ""
		}
		return 0
	case p.npc != "" && s.lines.isUnsaid(p.turn):
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
		s.deliver(ctx, posting{text: p.text, since: p.due})
		return 0
	case w.text != "":
		w.text += " " + p.text
		return 0
	}
	*w = posting{npc: p.npc, turn: p.turn, text: p.text, since: p.due, heard: p.heard}
	if s.begun == p.turn {
		return sentenceWait
	}
	return firstSentenceWait
}

// postSentences posts the sentences that wait.
func (s *sender) postSentences(ctx context.Context) {
	p := s.waiting
	if p.text == "" {
		return
	}
	s.waiting.text, s.begun = "", p.turn
	for _, part := range splitLine(p.npc, p.text) {
		p.text = part
		s.deliver(ctx, p)
	}
}

// showTyping shows that an answer is coming while one is.
func (s *sender) showTyping(ctx context.Context) {
	for {
		select {
		case <-s.typing.changed:
		case <-ctx.Done():
			return
		}
		for wait := typingAfter; s.typing.any() && WaitFor(ctx, wait) && s.typing.any(); wait = typingAgain {
			if err := s.rest.ShowTyping(ctx, s.channel); err != nil && ctx.Err() == nil {
				s.log.Debug("showing that an answer comes", "reason", err)
				break
			}
		}
	}
}

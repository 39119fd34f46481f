package discord

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/MrWong99/glyphoxa/internal/discord/voice"
	"github.com/MrWong99/glyphoxa/internal/ear"
	"github.com/MrWong99/glyphoxa/internal/play"
	"github.com/MrWong99/glyphoxa/internal/table"
	"github.com/MrWong99/glyphoxa/internal/wakeup"
	"github.com/MrWong99/glyphoxa/pkg/audio"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

const (
	// idleAfter is how long a session in a voice channel runs without anyone speaking or writing.
	idleAfter = 15 * time.Minute
	// joinTimeout bounds joining a voice channel.
	joinTimeout = 20 * time.Second
	// rolesFor is how long requested roles are valid. A player who starts speaking later has them requested
	// again.
	rolesFor = 20 * time.Second
	// maxRoleRequests bounds the queue of role requests. A player who does not fit is queued when they start to
	// speak again.
	maxRoleRequests = 16
	// speakingFor is how long after a packet a player counts as speaking.
	speakingFor = 300 * time.Millisecond
	// transcriptWait is how long closing waits for transcripts.
	transcriptWait = 3 * time.Second
)

// voiceSeat is a player in a voice channel.
type voiceSeat struct {
	seat           listeningSeat
	lastPacket     atomic.Int64 // when a packet arrived last, in Unix nanoseconds
	rolesRequested atomic.Int64 // when the member's roles were last requested, likewise
}

// listeningSeat receives a player's sound. It is safe for concurrent use.
type listeningSeat interface {
	Speaker() string // the player's name at the table
	Push(ear.Packet) // never blocks
	Stats() ear.Stats
	Pending(context.Context) (bool, error)
	Leave()
}

// players connects a room to a session. Its functions may block.
type players struct {
	// join gives a player a seat at the table.
	join func(ctx context.Context, speaker string, o *table.JoinOptions) (listeningSeat, error)
	// name returns a user's name in the guild, and whether the user is a person.
	name func(ctx context.Context, user string) (name string, person bool)
}

// voiceRoom is a session's voice channel: it passes the players' speech to the table, and plays the NPCs'
// speech. It is a mixer.Outlet. The session waits for its goroutines. It is safe for concurrent use.
type voiceRoom struct {
	guild        string
	states       *voiceStates
	consents     *consents
	parts        *voiceParts
	conn         *voice.Conn
	log          *slog.Logger
	lang         Language
	paused       atomic.Bool // speech is ignored
	idle         time.Duration
	notify       func(level, text string)
	changed      chan struct{} // receives when the occupants or their state changed
	roleRequests chan string   // users whose roles to request; if full, they are skipped
	captions     atomic.Bool   // post spoken lines as text
	ended        chan struct{} // closed when the connection has ended
	cancel       context.CancelFunc
	// joinConn joins a voice channel through conn.
	joinConn   func(ctx context.Context, channel string) error
	placeStore placeStore

	mu           sync.Mutex // guards the fields below
	at           voicePlace
	closing      bool // speech is ignored because the session is closing
	seats        map[string]*voiceSeat
	lastActivity time.Time
	joined       bool // in a channel at some time; otherwise the session cannot be idle
}

// newVoiceRoom returns the room of a guild's session, which runs until close.
func (b *Bot) newVoiceRoom(guild string, notify func(level, text string)) (*voiceRoom, error) {
	parts, err := b.voiceParts()
	if err != nil {
		return nil, err
	}
	r := &voiceRoom{
		guild: guild, states: b.voiceStates, consents: b.consents, parts: parts, log: b.log.With("guild", guild), lang: b.language(), idle: idleAfter,
		notify: notify, changed: make(chan struct{}, 1), roleRequests: make(chan string, maxRoleRequests), ended: make(chan struct{}), seats: map[string]*voiceSeat{}, lastActivity: time.Now(),
	}
	r.captions.Store(true)
	r.conn = voice.New(voice.Options{
		Guild: guild, User: b.voiceStates.selfID(), Opus: parts.opus, TLS: parts.tls, Private: b.cfg.APIURL != "", Logger: r.log, OnPacket: r.handlePacket, OnEvent: r.handleEvent,
		Move: func(ctx context.Context, channel string) error { return b.gateway.MoveVoice(ctx, guild, channel) },
	})
	r.joinConn = func(ctx context.Context, channel string) error {
		err := r.conn.Join(ctx, channel)
		if err != nil && r.conn.Stats().Channel == "" {
			r.recordConnectionLost()
		}
		return err
	}
	life, cancel := context.WithCancel(context.WithoutCancel(b.tasks.context()))
	r.cancel = cancel
	b.voiceStates.setRoom(guild, r)
	go func() { // close waits for it
		defer close(r.ended)
		if err := r.conn.Run(life); err != nil {
			r.log.Warn("a voice connection has ended", "reason", err)
			r.setPlace("", false)
			notify("warning", VoiceLost.In(r.lang, err.Error()))
		}
	}()
	return r, nil
}

// close leaves the channel and waits for the connection to end. It may be called more than once.
func (r *voiceRoom) close() {
	r.cancel()
	<-r.ended
	r.states.setRoom(r.guild, nil)
}

// Write implements mixer.Outlet.
func (r *voiceRoom) Write(ctx context.Context, f *audio.Frame) error { return r.conn.Write(ctx, f) }

// hasListener reports whether a person can hear the NPCs.
func (r *voiceRoom) hasListener() bool {
	r.mu.Lock()
	channel, up := r.at.channel, r.at.up
	r.mu.Unlock()
	return up && slices.ContainsFunc(r.states.occupants(r.guild, channel), func(o occupant) bool { return !o.bot && o.user != r.states.selfID() })
}

// signalChanged makes run check the channel.
func (r *voiceRoom) signalChanged() { wakeup.Signal(r.changed) }

// recordActivity records that a person spoke.
func (r *voiceRoom) recordActivity() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lastActivity = time.Now()
}

// handlePacket passes a packet to the player's seat. It drops packets of players without a seat, or who declined to
// be heard.
func (r *voiceRoom) handlePacket(user string, p voice.Packet) {
	if r.paused.Load() || !r.consents.isHeard(r.guild, user) {
		return
	}
	r.mu.Lock()
	s := r.seats[user]
	if r.closing {
		s = nil
	}
	r.mu.Unlock()
	if s != nil {
		r.recordPacket(user, s, time.Now())
		s.seat.Push(ear.Packet{Seq: p.Seq, Payload: p.Payload})
	}
}

// recordPacket records a packet. When a player starts to speak, it requests their roles, because those decide
// at the end of the utterance which orders it may give.
func (r *voiceRoom) recordPacket(user string, s *voiceSeat, now time.Time) {
	begins := now.UnixNano()-s.lastPacket.Swap(now.UnixNano()) > int64(speakingFor)
	if !begins || now.UnixNano()-s.rolesRequested.Load() < int64(rolesFor) {
		return
	}
	select {
	case r.roleRequests <- user:
		s.rolesRequested.Store(now.UnixNano())
	default:
	}
}

// requestRoles requests the roles of players who start to speak, until ctx ends.
func (r *voiceRoom) requestRoles(ctx context.Context, ask func(ctx context.Context, user string)) {
	for {
		select {
		case user := <-r.roleRequests:
			ask(ctx, user)
		case <-ctx.Done():
			return
		}
	}
}

// handleEvent handles events of the connection.
func (r *voiceRoom) handleEvent(e voice.Event) {
	switch e := e.(type) {
	case voice.Connected:
		r.setPlace(e.Channel, true)
	case voice.Interrupted:
		r.recordInterruption()
		r.log.Info("a voice connection is interrupted", "reason", e.Reason)
	case voice.Moved:
		r.recordMove(e.Channel)
	case voice.Disconnected:
		if e.Cause == voice.GaveUp {
			r.recordConnectionLost()
			r.notify("warning", VoiceGivenUp.In(r.lang, Translate(r.lang, e.Reason)))
			return
		}
		r.setPlace("", false)
		r.notify("warning", VoiceLost.In(r.lang, Translate(r.lang, e.Reason)))
	case voice.EncryptionFailed:
		r.log.Warn("a voice channel's encryption is agreed on anew", "reason", e.Reason)
	case voice.UserJoined, voice.UserLeft:
		r.signalChanged()
	}
}

// run gives seats to the players in the channel, and removes them, until ctx ends. It returns true if the
// session has been idle for too long.
func (r *voiceRoom) run(ctx context.Context, p players) (idle bool) {
	timer := time.NewTimer(r.idle)
	defer timer.Stop()
	for {
		again := r.maintainPlace(ctx)
		r.updateSeats(ctx, p)
		r.mu.Lock()
		left := r.idle
		if r.joined {
			left -= time.Since(r.lastActivity)
		}
		r.mu.Unlock()
		if left <= 0 {
			return true
		}
		if !again.IsZero() {
			left = min(left, time.Until(again))
		}
		timer.Reset(left)
		select {
		case <-r.changed:
		case <-timer.C:
		case <-ctx.Done():
			return false
		}
	}
}

// updateSeats seats the players in the channel who may be heard, and removes the seats of all others.
func (r *voiceRoom) updateSeats(ctx context.Context, p players) {
	channel := r.place()
	here := map[string]occupant{}
	if channel != "" {
		for _, o := range r.states.occupants(r.guild, channel) {
			if !o.bot && o.user != r.states.selfID() && r.consents.isHeard(r.guild, o.user) {
				here[o.user] = o
			}
		}
	}
	r.mu.Lock()
	var gone []*voiceSeat
	for user, s := range r.seats {
		if _, ok := here[user]; !ok {
			gone = append(gone, s)
			delete(r.seats, user)
		}
		delete(here, user)
	}
	r.mu.Unlock()
	for _, s := range gone {
		s.seat.Leave()
	}
	for user, o := range here {
		if o.name == "" {
			known, person := p.name(ctx, user)
			if !person {
				continue
			}
			o.name = known
		}
		r.seatPlayer(ctx, p, o)
	}
}

// seatPlayer gives a player a seat at the table.
func (r *voiceRoom) seatPlayer(ctx context.Context, p players, o occupant) {
	decoder, err := opus.NewDecoder(r.parts.opus)
	if err != nil {
		r.notify("warning", VoiceNotHeardNow.In(r.lang, escapeMarkup(o.name), err))
		return
	}
	options := table.JoinOptions{
		Decoder: decoder, Detector: r.parts.detection.NewDetector(), User: play.UserRef(Front, o.user),
		Leads: func() bool { return r.states.leads(r.guild, o.user) },
	}
	s, err := p.join(ctx, o.name, &options)
	r.mu.Lock()
	if err == nil {
		seat := &voiceSeat{seat: s}
		seat.rolesRequested.Store(time.Now().UnixNano()) // the voice state event had the roles
		r.seats[o.user] = seat
	}
	r.mu.Unlock()
	switch {
	case err == nil || ctx.Err() != nil || errors.Is(err, table.ErrClosed):
	case errors.Is(err, table.ErrNoRecognition): // already reported when the session began
	default:
		r.notify("warning", VoiceNotHeardNow.In(r.lang, escapeMarkup(o.name), err))
	}
}

// awaitLastWords ignores new speech, and waits up to lastWords until pending utterances have become turns or
// were discarded.
func (r *voiceRoom) awaitLastWords() {
	r.mu.Lock()
	r.closing = true
	var all []*voiceSeat
	for _, s := range r.seats {
		all = append(all, s)
	}
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), transcriptWait)
	defer cancel()
	for _, s := range all {
		for pending, err := s.seat.Pending(ctx); pending && err == nil && ctx.Err() == nil; pending, err = s.seat.Pending(ctx) {
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
			}
		}
	}
}

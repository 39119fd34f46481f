package discord

import (
	"context"
	"sync"
	"time"
)

const (
	// shortInterruption is the interruption after which NPCs' lines are posted instead of played. After long, the
	// interruption is reported; shorter ones are over before people notice.
	shortInterruption       = 2 * time.Second
	reportInterruptionAfter = 5 * time.Second
	// Joining a lost channel is retried after firstRejoinPause. The pause doubles with each attempt up to
	// maxRejoinPause.
	firstRejoinPause = 15 * time.Second
	maxRejoinPause   = time.Minute
)

// voicePlace is the bot's position in voice.
type voicePlace struct {
	channel string // empty if in none
	// wanted is the channel the bot should be in. After the connection was given up, channel is empty and
	// wanted is not, until the bot is back.
	wanted               string
	up                   bool      // sound can be sent
	down                 time.Time // since when sound cannot be sent; zero if it can, or in no channel
	interruptionReported bool      // the interruption was reported
	moved                bool      // the bot was moved there; not reported yet
	retryAt              time.Time // when to retry the channel
	tries                int       // retries since the connection was given up
}

// placeStore stores the wanted channel, so that an interrupted session can rejoin it.
type placeStore struct {
	mu    sync.Mutex // held while storing; guards the fields below
	store func(channel string) error
	last  string
}

// join makes the bot join a voice channel. If that fails, the bot stays where it is.
func (r *voiceRoom) join(ctx context.Context, channel string) error {
	ctx, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	r.setInterruptionReported(false) // the user of the command gets the answer
	if err := r.joinConn(ctx, channel); err != nil {
		return err
	}
	r.setPlace(channel, true)
	r.storePlace()
	return nil
}

// leave makes the bot leave its channel.
func (r *voiceRoom) leave(ctx context.Context) error {
	r.setPlace("", false)
	r.storePlace()
	return r.conn.Leave(ctx)
}

// rejoin joins the channel again after Discord has lost the bot's voice state.
func (r *voiceRoom) rejoin(ctx context.Context) {
	if channel := r.place(); channel != "" {
		if err := r.join(ctx, channel); err != nil {
			r.log.Warn("joining a voice channel anew", "reason", err)
		}
	}
}

// place returns the channel the bot is in, or "".
func (r *voiceRoom) place() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at.channel
}

// wantedChannel returns the channel the bot should be in, or "".
func (r *voiceRoom) wantedChannel() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at.wanted
}

// setPlace records the bot's channel, which becomes the wanted one.
func (r *voiceRoom) setPlace(channel string, up bool) {
	r.mu.Lock()
	if channel != "" && !r.joined {
		r.joined, r.lastActivity = true, time.Now()
	}
	was := r.at
	r.at = voicePlace{channel: channel, wanted: channel, up: up, interruptionReported: was.interruptionReported && channel != "", moved: was.moved && channel == was.channel}
	if channel != "" && !up {
		r.at.down = was.down
		if was.down.IsZero() {
			r.at.down = time.Now()
		}
	}
	r.mu.Unlock()
	r.signalChanged()
}

// recordMove records that the bot was moved to another channel. It is reported once the channel is stored.
func (r *voiceRoom) recordMove(channel string) {
	r.setPlace(channel, false)
	r.mu.Lock()
	r.at.moved = true
	r.mu.Unlock()
	r.signalChanged()
}

// recordInterruption records that sound cannot be sent at the moment.
func (r *voiceRoom) recordInterruption() {
	r.mu.Lock()
	r.at.up = false
	if r.at.channel != "" && r.at.down.IsZero() {
		r.at.down = time.Now()
	}
	r.mu.Unlock()
	r.signalChanged()
}

// recordConnectionLost records that the connection was given up. The channel is retried later.
func (r *voiceRoom) recordConnectionLost() {
	r.mu.Lock()
	if r.at.channel != "" {
		r.at = voicePlace{wanted: r.at.wanted, retryAt: time.Now().Add(firstRejoinPause)}
	}
	r.mu.Unlock()
	r.signalChanged()
}

// unheard reports whether NPCs cannot be heard, so that their lines must be posted.
func (r *voiceRoom) unheard() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at.channel == "" || !r.at.down.IsZero() && time.Since(r.at.down) > shortInterruption
}

// setPlaceStore sets the function that stores the wanted channel; channel is the stored one.
func (r *voiceRoom) setPlaceStore(keep func(channel string) error, channel string) {
	r.placeStore.mu.Lock()
	defer r.placeStore.mu.Unlock()
	r.placeStore.store, r.placeStore.last = keep, channel
}

// storePlace stores the wanted channel if it changed.
func (r *voiceRoom) storePlace() {
	r.placeStore.mu.Lock()
	defer r.placeStore.mu.Unlock()
	channel := r.wantedChannel()
	if r.placeStore.store == nil || channel == r.placeStore.last {
		return
	}
	if err := r.placeStore.store(channel); err != nil {
		r.log.Error("noting in which voice channel a session is heard", "reason", err)
		return
	}
	r.placeStore.last = channel
}

// maintainPlace reports moves, long interruptions and recoveries, and retries a lost channel. It returns
// when to call it again, zero if only after a change. It must not be called concurrently.
func (r *voiceRoom) maintainPlace(ctx context.Context) (again time.Time) {
	r.storePlace()
	r.mu.Lock()
	at := r.at
	r.at.moved = false
	r.mu.Unlock()
	if at.moved {
		r.notify("warning", VoiceMoved.In(r.lang, at.channel))
	}
	now := time.Now()
	switch {
	case at.wanted == "":
		return again
	case at.channel == "" && now.Before(at.retryAt):
		return at.retryAt
	case at.channel == "":
		return r.retryChannel(ctx, at)
	case at.up && at.interruptionReported:
		r.setInterruptionReported(false)
		r.notify("voice", VoiceBack.In(r.lang, at.channel))
	case at.up || at.interruptionReported:
	case now.Before(at.down.Add(reportInterruptionAfter)):
		return at.down.Add(reportInterruptionAfter)
	default:
		r.setInterruptionReported(true)
		r.notify("warning", VoiceAway.In(r.lang))
	}
	return again
}

// setInterruptionReported sets whether an interruption was reported.
func (r *voiceRoom) setInterruptionReported(told bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at.interruptionReported = told
}

// retryChannel tries to rejoin the lost channel. On failure, it returns when to retry.
func (r *voiceRoom) retryChannel(ctx context.Context, at voicePlace) (again time.Time) {
	r.setInterruptionReported(true)
	trying, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	err := r.joinConn(trying, at.wanted)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.at.wanted != at.wanted || r.at.channel != "": // the situation changed meanwhile
	case err == nil:
		r.at = voicePlace{channel: at.wanted, wanted: at.wanted, up: true, interruptionReported: true}
	default:
		r.log.Info("a voice channel is tried again", "reason", err)
		r.at.tries++
		r.at.retryAt = time.Now().Add(min(firstRejoinPause<<min(r.at.tries, 8), maxRejoinPause))
		return r.at.retryAt
	}
	r.signalChanged()
	return again
}

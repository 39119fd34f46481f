package discord

import (
	"context"
	"sync"
	"time"
)

const (
	// brief is how long a connection may be away before the NPCs are read instead of
	// heard, and long when that is told: what lasts less is over before anybody asks.
	brief = 2 * time.Second
	long  = 5 * time.Second
	// A channel that could not be reached any more is tried again after firstReturn, then
	// after twice that and so on, nextReturn at most.
	firstReturn = 15 * time.Second
	nextReturn  = time.Minute
)

// voicePlace is where a bot is in voice.
type voicePlace struct {
	channel string // empty while in none
	// wanted is where the bot is to be. It is in no channel, and wanted in one, after the
	// connection was given up and until it is there again.
	wanted string
	up     bool      // sound can be sent
	down   time.Time // since when it cannot; zero while it can, or in no channel
	told   bool      // people know that it cannot
	moved  bool      // it was moved there, and nobody has been told
	again  time.Time // when the channel is tried again
	tries  int       // made since the connection was given up
}

// keptPlace is where the wanted channel is written down, so that a session that was cut
// off is heard there again.
type keptPlace struct {
	mu   sync.Mutex // held while it is written down; guards the fields below
	keep func(channel string) error
	last string
}

// join has the bot join a voice channel. If it cannot, the bot stays where it is, if
// anywhere.
func (r *voiceRoom) join(ctx context.Context, channel string) error {
	ctx, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	r.setTold(false) // whoever has it join is told
	if err := r.reach(ctx, channel); err != nil {
		return err
	}
	r.setPlace(channel, true)
	r.keepPlace()
	return nil
}

// leave takes the bot out of its channel; nobody is heard there any more.
func (r *voiceRoom) leave(ctx context.Context) error {
	r.setPlace("", false)
	r.keepPlace()
	return r.conn.Leave(ctx)
}

// rejoin joins the channel anew, since Discord has forgotten that the bot is there.
func (r *voiceRoom) rejoin(ctx context.Context) {
	if channel := r.place(); channel != "" {
		if err := r.join(ctx, channel); err != nil {
			r.log.Warn("joining a voice channel anew", "reason", err)
		}
	}
}

// place is the channel the bot is in, empty if none.
func (r *voiceRoom) place() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at.channel
}

// wantedPlace is the channel the bot is to be in, empty if in none.
func (r *voiceRoom) wantedPlace() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at.wanted
}

// setPlace notes where the bot is, which is where it is to be.
func (r *voiceRoom) setPlace(channel string, up bool) {
	r.mu.Lock()
	if channel != "" && !r.joined {
		r.joined, r.human = true, time.Now()
	}
	was := r.at
	r.at = voicePlace{channel: channel, wanted: channel, up: up, told: was.told && channel != "", moved: was.moved && channel == was.channel}
	if channel != "" && !up {
		r.at.down = was.down
		if was.down.IsZero() {
			r.at.down = time.Now()
		}
	}
	r.mu.Unlock()
	r.wake()
}

// movePlace notes that somebody moved the bot to another channel. It is told once that is
// written down.
func (r *voiceRoom) movePlace(channel string) {
	r.setPlace(channel, false)
	r.mu.Lock()
	r.at.moved = true
	r.mu.Unlock()
	r.wake()
}

// interruptPlace notes that no sound can be sent for the time being.
func (r *voiceRoom) interruptPlace() {
	r.mu.Lock()
	r.at.up = false
	if r.at.channel != "" && r.at.down.IsZero() {
		r.at.down = time.Now()
	}
	r.mu.Unlock()
	r.wake()
}

// losePlace notes that the channel cannot be reached any more: it is tried again later.
func (r *voiceRoom) losePlace() {
	r.mu.Lock()
	if r.at.channel != "" {
		r.at = voicePlace{wanted: r.at.wanted, again: time.Now().Add(firstReturn)}
	}
	r.mu.Unlock()
	r.wake()
}

// unheard reports whether the NPCs are heard by nobody: then they are read.
func (r *voiceRoom) unheard() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at.channel == "" || !r.at.down.IsZero() && time.Since(r.at.down) > brief
}

// keepPlacesBy has where the bot is to be written down from now on; channel is what is
// written already.
func (r *voiceRoom) keepPlacesBy(keep func(channel string) error, channel string) {
	r.kept.mu.Lock()
	defer r.kept.mu.Unlock()
	r.kept.keep, r.kept.last = keep, channel
}

// keepPlace writes down where the bot is to be.
func (r *voiceRoom) keepPlace() {
	r.kept.mu.Lock()
	defer r.kept.mu.Unlock()
	channel := r.wantedPlace()
	if r.kept.keep == nil || channel == r.kept.last {
		return
	}
	if err := r.kept.keep(channel); err != nil {
		r.log.Error("noting in which voice channel a session is heard", "reason", err)
		return
	}
	r.kept.last = channel
}

// lookAfterPlace tells that the bot was moved, when the connection is away for longer and
// when it is back, and tries to come back once it was given up. It returns when to look again, zero for not
// before something changes. Its caller is one goroutine.
func (r *voiceRoom) lookAfterPlace(ctx context.Context) (again time.Time) {
	r.keepPlace()
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
	case at.channel == "" && now.Before(at.again):
		return at.again
	case at.channel == "":
		return r.comeBack(ctx, at)
	case at.up && at.told:
		r.setTold(false)
		r.notify("voice", VoiceBack.In(r.lang, at.channel))
	case at.up || at.told:
	case now.Before(at.down.Add(long)):
		return at.down.Add(long)
	default:
		r.setTold(true)
		r.notify("warning", VoiceAway.In(r.lang))
	}
	return again
}

// setTold notes whether people know that no sound can be sent.
func (r *voiceRoom) setTold(told bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at.told = told
}

// comeBack tries to join the channel that was lost, and returns when to do so again if that
// failed.
func (r *voiceRoom) comeBack(ctx context.Context, at voicePlace) (again time.Time) {
	r.setTold(true)
	trying, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	err := r.reach(trying, at.wanted)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.at.wanted != at.wanted || r.at.channel != "": // somebody decided otherwise meanwhile, or it is told already
	case err == nil:
		r.at = voicePlace{channel: at.wanted, wanted: at.wanted, up: true, told: true}
	default:
		r.log.Info("a voice channel is tried again", "reason", err)
		r.at.tries++
		r.at.again = time.Now().Add(min(firstReturn<<min(r.at.tries, 8), nextReturn))
		return r.at.again
	}
	r.wake()
	return again
}

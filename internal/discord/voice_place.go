package discord

import (
	"context"
	"sync"
	"time"
)

const (
	// brief is the interruption after which NPCs' lines are posted instead of played. After long, the
	// interruption is reported; shorter ones are over before people notice.
	brief = 2 * time.Second
	long  = 5 * time.Second
	// Joining a lost channel is retried after firstReturn. The pause doubles with each attempt up to
	// nextReturn.
	firstReturn = 15 * time.Second
	nextReturn  = time.Minute
)

// voicePlace is the bot's position in voice.
type voicePlace struct {
	channel string // empty if in none
	// wanted is the channel the bot should be in. After the connection was given up, channel is empty and
	// wanted is not, until the bot is back.
	wanted string
	up     bool      // sound can be sent
	down   time.Time // since when sound cannot be sent; zero if it can, or in no channel
	told   bool      // the interruption was reported
	moved  bool      // the bot was moved there; not reported yet
	again  time.Time // when to retry the channel
	tries  int       // retries since the connection was given up
}

// keptPlace stores the wanted channel, so that an interrupted session can rejoin it.
type keptPlace struct {
	mu   sync.Mutex // held while storing; guards the fields below
	keep func(channel string) error
	last string
}

// join makes the bot join a voice channel. If that fails, the bot stays where it is.
func (r *voiceRoom) join(ctx context.Context, channel string) error {
	ctx, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	r.setTold(false) // the user of the command gets the answer
	if err := r.reach(ctx, channel); err != nil {
		return err
	}
	r.setPlace(channel, true)
	r.keepPlace()
	return nil
}

// leave makes the bot leave its channel.
func (r *voiceRoom) leave(ctx context.Context) error {
	r.setPlace("", false)
	r.keepPlace()
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

// wantedPlace returns the channel the bot should be in, or "".
func (r *voiceRoom) wantedPlace() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at.wanted
}

// setPlace records the bot's channel, which becomes the wanted one.
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

// movePlace records that the bot was moved to another channel. It is reported once the channel is stored.
func (r *voiceRoom) movePlace(channel string) {
	r.setPlace(channel, false)
	r.mu.Lock()
	r.at.moved = true
	r.mu.Unlock()
	r.wake()
}

// interruptPlace records that sound cannot be sent at the moment.
func (r *voiceRoom) interruptPlace() {
	r.mu.Lock()
	r.at.up = false
	if r.at.channel != "" && r.at.down.IsZero() {
		r.at.down = time.Now()
	}
	r.mu.Unlock()
	r.wake()
}

// losePlace records that the connection was given up. The channel is retried later.
func (r *voiceRoom) losePlace() {
	r.mu.Lock()
	if r.at.channel != "" {
		r.at = voicePlace{wanted: r.at.wanted, again: time.Now().Add(firstReturn)}
	}
	r.mu.Unlock()
	r.wake()
}

// unheard reports whether NPCs cannot be heard, so that their lines must be posted.
func (r *voiceRoom) unheard() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at.channel == "" || !r.at.down.IsZero() && time.Since(r.at.down) > brief
}

// keepPlacesBy sets the function that stores the wanted channel; channel is the stored one.
func (r *voiceRoom) keepPlacesBy(keep func(channel string) error, channel string) {
	r.kept.mu.Lock()
	defer r.kept.mu.Unlock()
	r.kept.keep, r.kept.last = keep, channel
}

// keepPlace stores the wanted channel if it changed.
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

// lookAfterPlace reports moves, long interruptions and recoveries, and retries a lost channel. It returns
// when to call it again, zero if only after a change. It must not be called concurrently.
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

// setTold sets whether an interruption was reported.
func (r *voiceRoom) setTold(told bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at.told = told
}

// comeBack tries to rejoin the lost channel. On failure, it returns when to retry.
func (r *voiceRoom) comeBack(ctx context.Context, at voicePlace) (again time.Time) {
	r.setTold(true)
	trying, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	err := r.reach(trying, at.wanted)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.at.wanted != at.wanted || r.at.channel != "": // the situation changed meanwhile
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

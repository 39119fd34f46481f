package voice

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// takeEnding handles the end of a session.
func (k *control) takeEnding(ctx context.Context) {
	k.takeNotices()
	e := k.session.ending
	k.session.cancel()
	k.session = nil
	k.c.current.Store(nil)
	k.reason = e.reason
	if k.phase == asking {
		k.interrupt(e.reason)
		return
	}
	if k.phase == connected && time.Since(k.since) >= steady {
		k.failures = 0
	}
	k.failures++
	k.interrupt(e.reason)
	switch e.verdict {
	case fail:
		k.fatal = fmt.Errorf("%s", e.reason)
	case stop:
		k.disconnect(Ended, e.reason)
	case await:
		k.wait(tellTimeout, rejoin)
	case awaitOrStop:
		k.wait(tellTimeout, stop)
	case rejoin:
		k.pause(rejoin)
	default:
		if k.failures > 2 {
			k.pause(rejoin)
		} else {
			k.pause(identify)
		}
	}
}

// pause waits before the next attempt, or gives up.
func (k *control) pause(then verdict) {
	late := k.join != nil && time.Since(k.join.at) > joinTimeout
	if late || k.failures > maxFailures {
		k.disconnect(GaveUp, k.reason)
		return
	}
	k.then = then
	k.become(pausing, backoff(k.failures))
}

func (k *control) takeMoveFailure(err error) {
	if k.phase != asking {
		return
	}
	k.reason = fmt.Sprintf("Discord could not be asked for the voice channel: %v", err)
	k.failures++
	if k.join != nil || k.session != nil {
		k.giveUpAsking()
		return
	}
	k.pause(rejoin)
}

func (k *control) takeTimeout(ctx context.Context) {
	switch k.phase {
	case asking:
		k.failures++
		k.reason = "Discord did not let the bot into the voice channel: it may be full, or closed to the bot; allow the bot View Channel, Connect and, for full channels, Move Members"
		switch {
		case k.state.Channel == k.want:
			k.reason = "Discord named no voice server for the channel; let the bot join again in a while"
		case k.server.Endpoint == "" && k.session == nil && k.join == nil:
			k.pause(rejoin)
			return
		}
		k.giveUpAsking()
	case waiting, pausing:
		switch k.then {
		case stop:
			k.disconnect(Ended, k.reason)
		case identify:
			k.start(ctx)
		default:
			k.ask("", k.want)
		}
	}
}

// giveUpAsking answers a failed Join. A channel that the bot is still in remains connected.
func (k *control) giveUpAsking() {
	if k.session == nil || k.previous == "" {
		k.disconnect(GaveUp, k.reason)
		return
	}
	k.want, k.previous = k.previous, ""
	k.state, k.server = k.session.state, k.session.server
	k.become(connected, 0)
	k.answerJoin(errors.New(k.reason))
}

// interrupt reports a lost connection once.
func (k *control) interrupt(reason string) {
	if k.c.lost.Load() != nil {
		return
	}
	now := time.Now()
	k.c.lost.Store(&now)
	k.c.opts.Tell(Interrupted{Reason: reason})
}

// disconnect leaves the channel until the next Join.
func (k *control) disconnect(cause Cause, reason string) {
	k.endSession()
	if cause != Kicked {
		k.c.mover.replace(nil, "")
	}
	waited := k.join != nil
	k.goIdle()
	k.answerJoin(errors.New(reason))
	if !waited {
		k.c.opts.Tell(Disconnected{Cause: cause, Reason: reason})
	}
}

// goIdle resets the channel. Sound is refused immediately.
func (k *control) goIdle() {
	k.become(idle, 0)
	k.want, k.previous, k.state, k.server = "", "", State{}, Server{}
	k.c.lost.Store(&time.Time{})
	for {
		select {
		case <-k.c.frames:
			k.c.count.sentDropped.Add(1)
		default:
			return
		}
	}
}

func (k *control) answerJoin(err error) {
	if k.join != nil {
		k.join.done <- err
		k.join = nil
	}
}

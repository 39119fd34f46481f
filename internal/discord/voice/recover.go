package voice

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// handleSessionEnd handles the end of a session.
func (k *control) handleSessionEnd(ctx context.Context) {
	k.drainNotices()
	e := k.session.ending
	k.session.cancel()
	k.session = nil
	k.c.current.Store(nil)
	k.reason = e.reason
	if k.phase == asking {
		k.interrupt(e.reason)
		return
	}
	if k.phase == connected && time.Since(k.since) >= stableAfter {
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
		k.wait(reportTimeout, rejoin)
	case awaitOrStop:
		k.wait(reportTimeout, stop)
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
	late := k.pendingJoin != nil && time.Since(k.pendingJoin.at) > joinTimeout
	if late || k.failures > maxFailures {
		k.disconnect(GaveUp, k.reason)
		return
	}
	k.nextStep = then
	k.setPhase(pausing, backoff(k.failures))
}

func (k *control) handleMoveFailure(err error) {
	if k.phase != asking {
		return
	}
	k.reason = fmt.Sprintf("Discord could not be asked for the voice channel: %v", err)
	k.failures++
	if k.pendingJoin != nil || k.session != nil {
		k.failJoin()
		return
	}
	k.pause(rejoin)
}

func (k *control) handleTimeout(ctx context.Context) {
	switch k.phase {
	case asking:
		k.failures++
		k.reason = "Discord did not let the bot into the voice channel: it may be full, or closed to the bot; allow the bot View Channel, Connect and, for full channels, Move Members"
		switch {
		case k.state.Channel == k.wantedChannel:
			k.reason = "Discord named no voice server for the channel; let the bot join again in a while"
		case k.server.Endpoint == "" && k.session == nil && k.pendingJoin == nil:
			k.pause(rejoin)
			return
		}
		k.failJoin()
	case waiting, pausing:
		switch k.nextStep {
		case stop:
			k.disconnect(Ended, k.reason)
		case identify:
			k.start(ctx)
		default:
			k.requestChannels("", k.wantedChannel)
		}
	}
}

// failJoin answers a failed Join. A channel that the bot is still in remains connected.
func (k *control) failJoin() {
	if k.session == nil || k.previous == "" {
		k.disconnect(GaveUp, k.reason)
		return
	}
	k.wantedChannel, k.previous = k.previous, ""
	k.state, k.server = k.session.state, k.session.server
	k.setPhase(connected, 0)
	k.answerJoin(errors.New(k.reason))
}

// interrupt reports a lost connection once.
func (k *control) interrupt(reason string) {
	if k.c.silencedSince.Load() != nil {
		return
	}
	now := time.Now()
	k.c.silencedSince.Store(&now)
	k.c.opts.OnEvent(Interrupted{Reason: reason})
}

// disconnect leaves the channel until the next Join.
func (k *control) disconnect(cause Cause, reason string) {
	k.endSession()
	if cause != Kicked {
		k.c.mover.replace(nil, "")
	}
	waited := k.pendingJoin != nil
	k.goIdle()
	k.answerJoin(errors.New(reason))
	if !waited {
		k.c.opts.OnEvent(Disconnected{Cause: cause, Reason: reason})
	}
}

// goIdle resets the channel. Sound is refused immediately.
func (k *control) goIdle() {
	k.setPhase(idle, 0)
	k.wantedChannel, k.previous, k.state, k.server = "", "", State{}, Server{}
	k.c.silencedSince.Store(&time.Time{})
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
	if k.pendingJoin != nil {
		k.pendingJoin.done <- err
		k.pendingJoin = nil
	}
}

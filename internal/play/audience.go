package play

import (
	"context"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// Audience hears what the NPCs of a game say beside where the front that plays it has them
// heard. Its Write does not wait for long.
type Audience interface {
	mixer.Outlet
	// Unheard reports whether nobody is there just now.
	Unheard() bool
}

// openSound opens where a session is heard: where its front has it, and by the audience.
func (o SessionOptions) openSound(a Audience) (sound Sound, err error) {
	if o.OpenSound != nil {
		if sound, err = o.OpenSound(); err != nil {
			return sound, err
		}
	}
	return sound.withAudience(a), nil
}

// withAudience is where a session sounds with the audience.
func (s Sound) withAudience(a Audience) Sound {
	if a == nil {
		return s
	}
	if s.Outlet == nil {
		s.Outlet, s.Unheard = a, a.Unheard
		return s
	}
	unheard := s.Unheard
	s.Outlet = doubled{a, s.Outlet}
	s.Unheard = func() bool { return unheard != nil && unheard() && a.Unheard() }
	return s
}

// doubled sounds at both of its outlets, the audience's first: the other may wait.
type doubled struct{ audience, own mixer.Outlet }

// Write implements [mixer.Outlet].
func (d doubled) Write(ctx context.Context, frame *audio.Frame) error {
	if err := d.audience.Write(ctx, frame); err != nil {
		return err
	}
	return d.own.Write(ctx, frame)
}

// Speaks reports whether the NPCs of the session have a voice, be it heard or not.
func (s *Session) Speaks() bool { return s.voice.provider.Name() != providers.Silent }

// Cast are the NPCs of the session.
func (s *Session) Cast() []config.NPC {
	cast, err := ChooseNPCs(s.game.Cast(), s.only)
	if err != nil { // the only one has left the cast
		return nil
	}
	return cast
}

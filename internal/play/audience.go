package play

import (
	"context"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mixer"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/pkg/audio"
)

// Audience receives the sound of a game's NPCs, in addition to the front that plays it. Its Write must not
// block for long.
type Audience interface {
	mixer.Outlet
	// Unheard reports whether no one is listening at present.
	Unheard() bool
}

// openSound opens the outlets of a session: the front's and the audience's.
func (o SessionOptions) openSound(a Audience) (sound Sound, err error) {
	if o.OpenSound != nil {
		if sound, err = o.OpenSound(); err != nil {
			return sound, err
		}
	}
	return sound.withAudience(a), nil
}

// withAudience adds the audience to the outlets of a session.
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

// doubled writes to both of its outlets, first to the audience, because the other may block.
type doubled struct{ audience, own mixer.Outlet }

// Write implements [mixer.Outlet].
func (d doubled) Write(ctx context.Context, frame *audio.Frame) error {
	if err := d.audience.Write(ctx, frame); err != nil {
		return err
	}
	return d.own.Write(ctx, frame)
}

// Speaks reports whether the NPCs of the session have a voice, whether or not it is heard.
func (s *Session) Speaks() bool { return s.voice.provider.Name() != providers.Silent }

// Cast returns the NPCs of the session.
func (s *Session) Cast() []config.NPC {
	cast, err := ChooseNPCs(s.game.Cast(), s.only)
	if err != nil { // the only one has left the cast
		return nil
	}
	return cast
}

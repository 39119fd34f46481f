package voice

import (
	"errors"
	"maps"
)

const (
	// maxUsers are known at a time, maxSources streams of them.
	maxUsers   = 1024
	maxSources = 2048
)

// roster tells whose streams are which. It never changes; its zero value knows
// nobody.
type roster struct {
	users   map[string]bool   // told of by the server
	sources map[uint32]source // by ssrc
	voices  map[string]uint32 // the ssrc of each user's microphone, the one named last
}

// source is a stream of a user.
type source struct {
	user       string
	microphone bool
}

var errRosterFull = errors.New("more streams than a channel has")

// withSource returns a roster that knows a stream by what Speaking told of it.
// Sound that is only shared is no voice.
func (r *roster) withSource(user string, ssrc uint32, bits int) (*roster, error) {
	src := source{user: user, microphone: bits&speakingMicrophone != 0 || bits&speakingSoundshare == 0}
	if r.sources[ssrc] == src && (!src.microphone || r.voices[user] == ssrc) {
		return r, nil
	}
	if _, known := r.sources[ssrc]; !known && len(r.sources) >= maxSources {
		return r, errRosterFull
	}
	next := &roster{users: r.users, sources: cloned(r.sources), voices: cloned(r.voices)}
	if old := next.sources[ssrc]; old.user != user && next.voices[old.user] == ssrc {
		delete(next.voices, old.user)
	}
	next.sources[ssrc] = src
	if src.microphone {
		next.voices[user] = ssrc
	}
	return next, nil
}

// withUser returns a roster with a user more, and whether there is one.
func (r *roster) withUser(user string) (*roster, bool) {
	if r.users[user] || len(r.users) >= maxUsers {
		return r, false
	}
	next := &roster{users: cloned(r.users), sources: r.sources, voices: r.voices}
	next.users[user] = true
	return next, true
}

// without returns a roster that knows nothing of a user.
func (r *roster) without(user string) *roster {
	next := &roster{users: cloned(r.users), sources: cloned(r.sources), voices: cloned(r.voices)}
	delete(next.users, user)
	delete(next.voices, user)
	maps.DeleteFunc(next.sources, func(_ uint32, s source) bool { return s.user == user })
	return next
}

// cloned is maps.Clone, and can be written to.
func cloned[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return maps.Clone(m)
}

package voice

import (
	"errors"
	"maps"
)

const (
	// maxUsers bounds the known users, maxSources their streams.
	maxUsers   = 1024
	maxSources = 2048
)

// roster maps streams to users. It is immutable; the zero value is empty.
type roster struct {
	users   map[string]bool   // announced by the server
	sources map[uint32]source // by ssrc
	voices  map[string]uint32 // the latest announced microphone of each user, by ssrc
}

// source is a stream of a user.
type source struct {
	user       string
	microphone bool
}

var errRosterFull = errors.New("more streams than a channel has")

// withSource returns a roster with a stream announced by Speaking. A stream that only shares sound is no
// microphone.
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

// withUser returns a roster with an additional user, and whether the user was added.
func (r *roster) withUser(user string) (*roster, bool) {
	if r.users[user] || len(r.users) >= maxUsers {
		return r, false
	}
	next := &roster{users: cloned(r.users), sources: r.sources, voices: r.voices}
	next.users[user] = true
	return next, true
}

// without returns a roster without a user.
func (r *roster) without(user string) *roster {
	next := &roster{users: cloned(r.users), sources: cloned(r.sources), voices: cloned(r.voices)}
	delete(next.users, user)
	delete(next.voices, user)
	maps.DeleteFunc(next.sources, func(_ uint32, s source) bool { return s.user == user })
	return next
}

// cloned is maps.Clone, but never returns nil.
func cloned[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return maps.Clone(m)
}

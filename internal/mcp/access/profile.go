package access

import (
	"context"
	"fmt"
	"slices"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// What a caller may be allowed to do, as domain.verb.
const (
	DiceRoll       = "dice.roll"
	RulesRead      = "rules.read"
	MemoryRead     = "memory.read"
	MemoryWrite    = "memory.write"
	WorldRead      = "world.read"
	WorldWrite     = "world.write"
	FilesRead      = "files.read"
	FilesWrite     = "files.write"
	NPCRead        = "npc.read"
	NPCControl     = "npc.control"
	SessionRead    = "session.read"
	SessionControl = "session.control"
	ExternalCall   = "external.call"
	AuditRead      = "audit.read"
)

// Permissions returns every permission there is.
func Permissions() []string {
	return []string{
		DiceRoll, RulesRead, MemoryRead, MemoryWrite, WorldRead, WorldWrite, FilesRead, FilesWrite,
		NPCRead, NPCControl, SessionRead, SessionControl, ExternalCall, AuditRead,
	}
}

// permissionSet is a set of permissions, one bit each in the order of
// [Permissions].
type permissionSet uint32

// bits holds the bit of each permission.
var bits = permissionBits()

func permissionBits() map[string]permissionSet {
	out := map[string]permissionSet{}
	for i, p := range Permissions() {
		out[p] = 1 << i
	}
	return out
}

// setOf returns the set of names, without those nobody knows.
func setOf(names []string) permissionSet {
	var out permissionSet
	for _, n := range names {
		out |= bits[n]
	}
	return out
}

// Profile is what its holders may do. Only its name counts in a decision: what
// the name stands for, the [Engine] knows.
type Profile struct {
	Name        string
	Permissions []string
	// SeesAll shows what only some NPCs know.
	SeesAll bool
}

// rights is a profile with its permissions as a set.
type rights struct {
	profile Profile
	set     permissionSet
}

// BuiltinProfiles returns the profiles that always exist, from the least to the
// most that their holders may do.
func BuiltinProfiles() []Profile {
	readonly := []string{DiceRoll, RulesRead, MemoryRead, WorldRead, NPCRead, SessionRead}
	return []Profile{
		{Name: "player.limited", Permissions: []string{DiceRoll, RulesRead}},
		{Name: "system.readonly", Permissions: slices.Clone(readonly)},
		{Name: "player.full", Permissions: append(slices.Clone(readonly), ExternalCall)},
		{Name: "npc.agent", Permissions: []string{DiceRoll, RulesRead, MemoryRead, WorldRead, WorldWrite, FilesRead, ExternalCall}},
		{Name: "reviewer", Permissions: append(slices.Clone(readonly), FilesRead, AuditRead), SeesAll: true},
		{Name: "builder.readWrite", Permissions: without(Permissions(), NPCControl, SessionControl, AuditRead), SeesAll: true},
		{Name: "dm", Permissions: Permissions(), SeesAll: true},
	}
}

func without(all []string, drop ...string) []string {
	return slices.DeleteFunc(all, func(p string) bool { return slices.Contains(drop, p) })
}

// Subject is an outside client, once somebody has found out who it is. It is
// not changed after that.
type Subject struct {
	// Name is the client's name in rules and records.
	Name    string
	Profile Profile
	// NPC is with whose eyes the client sees, if not empty.
	NPC string
	// Transport is how it is connected, such as "http".
	Transport string
	// Address is where it is, as shares that go by address are counted; empty if it is in
	// no network.
	Address string
	// Crowd is the name it shares in metrics with others of its kind, who are too
	// many, or whose business it is not to be told apart there. If empty, Name.
	Crowd string
}

// nobody is the name of a subject without one. An empty name would be the
// operator's.
const nobody = "nobody"

func (s *Subject) name() string {
	if s.Name == "" {
		return nobody
	}
	return s.Name
}

// Caller returns the subject as tools know it.
func (s *Subject) Caller() mcp.Caller {
	c := mcp.Caller{Client: s.name(), NPC: s.NPC, Sees: memory.Anyone}
	if s.Profile.SeesAll {
		c.Sees = ""
	}
	return c
}

type subjectKey struct{}

// WithSubject returns a context whose calls are those of s, for [Engine] as
// well as for the tools ([mcp.CallerFrom]); the session of the context's caller
// stays. A nil s is somebody without any rights.
func WithSubject(ctx context.Context, s *Subject) context.Context {
	if s == nil {
		s = &Subject{}
	}
	c := s.Caller()
	c.Session = mcp.CallerFrom(ctx).Session
	return mcp.WithCaller(context.WithValue(ctx, subjectKey{}, s), c)
}

// SubjectFrom returns the outside client that calls, nil if it is none.
func SubjectFrom(ctx context.Context) *Subject {
	s, _ := ctx.Value(subjectKey{}).(*Subject)
	return s
}

// Narrow returns the profile a subject asks for by name, if that allows nothing
// that the subject's own does not. The error is an [*mcp.Refusal].
func (e *Engine) Narrow(subject *Subject, name string) (Profile, error) {
	own, _ := e.Profile(subject.Profile.Name)
	wanted, ok := e.Profile(name)
	if !ok {
		return Profile{}, &mcp.Refusal{
			Code: mcp.CodeForbidden, Reason: fmt.Sprintf("there is no profile %q", untrusted.Line(name, 100)), Hint: "ask for " + own.Name,
		}
	}
	if name == own.Name {
		return own, nil
	}
	beyond := wanted.SeesAll && !own.SeesAll || slices.ContainsFunc(wanted.Permissions, func(p string) bool { return !slices.Contains(own.Permissions, p) })
	if beyond {
		return Profile{}, &mcp.Refusal{
			Code: mcp.CodeForbidden, Reason: fmt.Sprintf("the profile %q allows more than this connection may do", name), Hint: "ask for " + own.Name,
		}
	}
	return wanted, nil
}

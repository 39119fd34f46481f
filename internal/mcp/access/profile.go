package access

import (
	"context"
	"fmt"
	"slices"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Permissions, as domain.verb.
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

// Permissions returns all permissions.
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

// setOf returns the set of the known permissions in names.
func setOf(names []string) permissionSet {
	var out permissionSet
	for _, n := range names {
		out |= bits[n]
	}
	return out
}

// Profile describes what its holders may do. Decisions use only its name; the [Engine] knows the permissions
// of that name.
type Profile struct {
	Name        string
	Permissions []string
	// SeesAll includes what only some NPCs know.
	SeesAll bool
}

// rights is a profile with its permissions as a set.
type rights struct {
	profile Profile
	set     permissionSet
}

// BuiltinProfiles returns the built-in profiles, ordered from the least to the most powerful.
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

// Subject is an identified outside client. It is immutable.
type Subject struct {
	// Name is the client's name in rules and records.
	Name    string
	Profile Profile
	// NPC, if not empty, is the NPC whose view the client has.
	NPC string
	// Transport is the kind of connection, such as "http".
	Transport string
	// Address is the address by which the client is counted; empty if it is not on a network.
	Address string
	// Crowd is the name that the client shares with others in metrics, because they are too many or should
	// not be distinguishable there. If empty, Name is used.
	Crowd string
}

// nobody is the name of a subject without a name, because an empty name would mean the operator.
const nobody = "nobody"

func (s *Subject) name() string {
	if s.Name == "" {
		return nobody
	}
	return s.Name
}

// Caller returns the subject as a [mcp.Caller] for tools.
func (s *Subject) Caller() mcp.Caller {
	c := mcp.Caller{Client: s.name(), NPC: s.NPC, Sees: memory.Anyone}
	if s.Profile.SeesAll {
		c.Sees = ""
	}
	return c
}

type subjectKey struct{}

// WithSubject returns a context whose calls are made for s, both for the [Engine] and for tools
// ([mcp.CallerFrom]). It keeps the session of the context's caller. A nil s is a client without any rights.
func WithSubject(ctx context.Context, s *Subject) context.Context {
	if s == nil {
		s = &Subject{}
	}
	c := s.Caller()
	c.Session = mcp.CallerFrom(ctx).Session
	return mcp.WithCaller(context.WithValue(ctx, subjectKey{}, s), c)
}

// SubjectFrom returns the outside client in ctx, or nil for other callers.
func SubjectFrom(ctx context.Context) *Subject {
	s, _ := ctx.Value(subjectKey{}).(*Subject)
	return s
}

// Narrow returns the profile that a subject requests by name, if that allows no more than the subject's own
// profile. The error is an [*mcp.Refusal].
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

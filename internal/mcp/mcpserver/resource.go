package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp/mcphost"
	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// ErrUnknownResource is returned for an address that names nothing, and for one that
// names what the view may not see.
var ErrUnknownResource = errors.New("unknown resource")

// LibraryView is for whom something is read. The zero View may see nothing but the
// empty list of tools.
type LibraryView struct {
	// Viewer is with whose eyes the world is seen: an NPC's id, memory.Anyone
	// for what everybody may know, empty for all of it.
	Viewer string
	// May reports whether the caller holds a permission, such as "npc.read". If
	// nil, it holds none.
	May func(permission string) bool
	// Tool reports whether the caller may see a tool. If nil, it sees none.
	Tool func(name string) bool
}

// Holds reports whether the caller holds a permission; everybody holds the
// empty one.
func (v LibraryView) Holds(permission string) bool {
	return permission == "" || v.May != nil && v.May(permission)
}

func (v LibraryView) tool(name string) bool { return v.Tool != nil && v.Tool(name) }

// graph is the part of memory.Graph that is read. It is safe for concurrent
// use.
type graph interface {
	Entity(ctx context.Context, id, viewer string) (memory.Entity, error)
	FindEntities(ctx context.Context, q memory.EntityQuery) ([]memory.Entity, error)
	Neighbours(ctx context.Context, id, viewer string, depth int) (memory.Neighbourhood, error)
}

// sessionLog is the part of memory.SessionLog that is read. It is safe for
// concurrent use.
type sessionLog interface {
	Sessions(ctx context.Context, limit int) ([]memory.Session, error)
	RecentFor(ctx context.Context, session, viewer string, n int) ([]memory.Line, error)
}

// LibrarySources is where a Library reads from. What is nil is not offered. Functions
// are safe for concurrent use and cheap.
type LibrarySources struct {
	// Campaign and System name the world and its rule system.
	Campaign, System string
	// Scene returns what is going on at the table.
	Scene func() string
	// NPCs is the cast. It is not changed.
	NPCs  []config.NPC
	Graph graph
	Log   sessionLog
	Rules rules
	// Latency describes every tool.
	Latency func() []mcphost.Status
}

// Library answers with resources. It is safe for concurrent use.
type Library struct{ src LibrarySources }

// NewLibrary returns a Library over src.
func NewLibrary(src LibrarySources) *Library { return &Library{src} }

// Read returns the document at uri, which may be any text. The error is
// [ErrUnknownResource] if there is none that v may see.
func (l *Library) Read(ctx context.Context, v LibraryView, uri string) (*sdk.ReadResourceResult, error) {
	a, ok := parseAddress(uri)
	if !ok || !l.isOpen(v, a.shelf) {
		return nil, unknown(uri)
	}
	doc, err := l.document(ctx, v, a)
	switch {
	case errors.Is(err, memory.ErrNotFound), errors.Is(err, ErrUnknownResource):
		return nil, unknown(uri)
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", a, err)
	}
	text, err := encodeDocument(doc)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", a, err)
	}
	out := &sdk.ReadResourceResult{
		Contents: []*sdk.ResourceContents{{URI: a.String(), MIMEType: mimeType, Text: text}},
	}
	out.CacheScope = "private"
	if a.shelf == rulesShelf {
		out.TTLMs = rulesTTL
	}
	return out, nil
}

func unknown(uri string) error {
	return fmt.Errorf("%w %q; list the resources to see what there is", ErrUnknownResource, untrusted.Clean(uri, 100))
}

const (
	mimeType = "application/json"
	// rulesTTL is how long a rule may be kept, in milliseconds: it never changes
	// while the process runs.
	rulesTTL = 3_600_000
)

// isOpen reports whether v may look into the shelf at all.
func (l *Library) isOpen(v LibraryView, name string) bool {
	s, ok := shelves[name]
	return ok && v.Holds(s.permission) && l.has(name)
}

// Offers reports whether v may read documents of the kind that uri names,
// whether or not there is one at that very address.
func (l *Library) Offers(v LibraryView, uri string) bool {
	a, ok := parseAddress(uri)
	return ok && l.isOpen(v, a.shelf)
}

// has reports whether there is a source for the shelf.
func (l *Library) has(name string) bool {
	switch name {
	case sceneShelf:
		return l.src.Scene != nil
	case entitiesShelf:
		return l.src.Graph != nil
	case sessionsShelf:
		return l.src.Log != nil
	case rulesShelf:
		return l.src.Rules != nil
	case latencyShelf:
		return l.src.Latency != nil
	}
	return true
}

// document builds what is at an address of an open shelf.
func (l *Library) document(ctx context.Context, v LibraryView, a address) (any, error) {
	switch {
	case a.shelf == campaignShelf:
		return l.campaign(ctx, v)
	case a.shelf == sceneShelf:
		return l.scene(ctx, v)
	case a.shelf == latencyShelf:
		return l.latency(v), nil
	case a.shelf == npcsShelf && a.id == "":
		return l.cast(ctx, v)
	case a.shelf == npcsShelf:
		return l.npc(ctx, v, a.id)
	case a.shelf == entitiesShelf && a.id == "":
		return l.entities(ctx, v)
	case a.shelf == entitiesShelf:
		return l.entity(ctx, v, a.id)
	case a.shelf == sessionsShelf && a.id == "":
		return l.sessions(ctx)
	case a.shelf == sessionsShelf && a.part == transcriptPart:
		return l.transcript(ctx, v, a.id)
	case a.shelf == sessionsShelf:
		return l.session(ctx, a.id)
	case a.shelf == rulesShelf && a.id == "":
		return l.rules(ctx)
	case a.shelf == rulesShelf:
		return l.src.Rules.Rule(ctx, a.id)
	}
	return nil, ErrUnknownResource
}

// encodeDocument renders v without escaping <, > and &, which a model reads better.
func encodeDocument(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// Templates lists the templates of the documents v may read, in a stable
// order.
func (l *Library) Templates(v LibraryView) []*sdk.ResourceTemplate {
	var out []*sdk.ResourceTemplate
	for _, t := range templates() {
		if !l.isOpen(v, t.shelf) {
			continue
		}
		out = append(out, &sdk.ResourceTemplate{
			Name: t.name, Title: t.title, Description: t.description, MIMEType: mimeType, URITemplate: t.raw,
			Annotations: annotations(t.priority, ""),
		})
	}
	return out
}

func annotations(priority float64, modified string) *sdk.Annotations {
	return &sdk.Annotations{Audience: []sdk.Role{"user", "assistant"}, Priority: priority, LastModified: modified}
}

// List lists what v may read, ordered by address: every fixed document, every
// NPC, and the entities and sessions there is room for. Rules, and what did not
// fit, are named in their collection's document and read by template.
func (l *Library) List(ctx context.Context, v LibraryView) ([]*sdk.Resource, error) {
	var out []*sdk.Resource
	for _, name := range shelfNames() {
		if !l.isOpen(v, name) {
			continue
		}
		items, err := l.items(ctx, v, name)
		if err != nil {
			return nil, fmt.Errorf("listing %s: %w", name, err)
		}
		for _, r := range items {
			if _, ok := parseAddress(r.URI); ok { // an id may be too long for an address
				out = append(out, r)
			}
		}
	}
	slices.SortFunc(out, func(a, b *sdk.Resource) int { return strings.Compare(a.URI, b.URI) })
	return out, nil
}

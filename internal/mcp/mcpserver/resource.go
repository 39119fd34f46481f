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

// ErrUnknownResource is returned for an address without a document, and for a document that the view may not
// see.
var ErrUnknownResource = errors.New("unknown resource")

// LibraryView describes for whom something is read. The zero value sees only an empty list of tools.
type LibraryView struct {
	// Viewer is the NPC whose knowledge applies: its id, memory.Anyone for public knowledge, or empty for
	// everything.
	Viewer string
	// May reports whether the caller holds a permission, such as "npc.read". If nil, the caller holds none.
	May func(permission string) bool
	// Tool reports whether the caller may see a tool. If nil, the caller sees none.
	Tool func(name string) bool
}

// Holds reports whether the caller holds a permission. Every caller holds the empty permission.
func (v LibraryView) Holds(permission string) bool {
	return permission == "" || v.May != nil && v.May(permission)
}

func (v LibraryView) tool(name string) bool { return v.Tool != nil && v.Tool(name) }

// graph is the part of memory.Graph that a Library reads. It is safe for concurrent use.
type graph interface {
	Entity(ctx context.Context, id, viewer string) (memory.Entity, error)
	FindEntities(ctx context.Context, q memory.EntityQuery) ([]memory.Entity, error)
	Neighbours(ctx context.Context, id, viewer string, depth int) (memory.Neighbourhood, error)
}

// sessionLog is the part of memory.SessionLog that a Library reads. It is safe for concurrent use.
type sessionLog interface {
	Sessions(ctx context.Context, limit int) ([]memory.Session, error)
	RecentFor(ctx context.Context, session, viewer string, n int) ([]memory.Line, error)
}

// LibrarySources are the sources of a Library. Nil sources are not offered. Functions must be cheap and safe
// for concurrent use.
type LibrarySources struct {
	// Campaign and System name the world and its rule system.
	Campaign, System string
	// Scene returns the description of the current scene.
	Scene func() string
	// NPCs is the cast. The Library does not modify it.
	NPCs  []config.NPC
	Graph graph
	Log   sessionLog
	Rules rules
	// Latency describes every tool.
	Latency func() []mcphost.Status
}

// Library serves resources. It is safe for concurrent use.
type Library struct{ src LibrarySources }

// NewLibrary returns a Library over src.
func NewLibrary(src LibrarySources) *Library { return &Library{src} }

// Read returns the document at uri, which may be any text. It returns [ErrUnknownResource] if there is no
// document that v may see.
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
	// rulesTTL is how long clients may cache a rule, in milliseconds. Rules do not change while the process
	// runs.
	rulesTTL = 3_600_000
)

// isOpen reports whether v may read documents of a shelf.
func (l *Library) isOpen(v LibraryView, name string) bool {
	s, ok := shelves[name]
	return ok && v.Holds(s.permission) && l.has(name)
}

// Offers reports whether v may read the kind of document that uri names, whether or not that document exists.
func (l *Library) Offers(v LibraryView, uri string) bool {
	a, ok := parseAddress(uri)
	return ok && l.isOpen(v, a.shelf)
}

// has reports whether the shelf has a source.
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

// document builds the document at an address of an open shelf.
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

// encodeDocument encodes v as JSON without escaping <, > and &, so that models can read it more easily.
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

// List lists the documents that v may read, ordered by address: all fixed documents, all NPCs, and entities
// and sessions up to a limit. Rules, and entities and sessions beyond the limit, are listed in the document
// of their collection and read by template.
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

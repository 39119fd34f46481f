package mcpserver

import (
	"context"
	"math"

	"github.com/MrWong99/glyphoxa/internal/untrusted"
	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// Bounds of a document's content.
const (
	maxEntities  = 1000 // listed at once
	maxRelations = 200
	maxName      = 200  // characters
	maxBlurb     = 300  // characters
	maxText      = 8000 // characters
	maxList      = 100  // aliases, attributes and the like
)

type campaignDoc struct {
	Name   string `json:"name"`
	System string `json:"system,omitempty"`
	Scene  string `json:"scene,omitempty"`
	// The counts include only what the view may see; nil means that it may see none.
	NPCs     *int `json:"npcs,omitempty"`
	Entities *int `json:"entities,omitempty"`
	// More says that there are more entities than counted.
	More     bool `json:"more_entities,omitempty"`
	Sessions *int `json:"sessions,omitempty"`
	Rules    *int `json:"rules,omitempty"`
}

func (l *Library) campaign(ctx context.Context, v LibraryView) (campaignDoc, error) {
	doc := campaignDoc{Name: name(l.src.Campaign), System: name(l.src.System), Scene: l.sceneText()}
	if l.isOpen(v, npcsShelf) {
		cast, err := l.visibleNPCs(ctx, v)
		if err != nil {
			return doc, err
		}
		doc.NPCs = count(cast)
	}
	if l.isOpen(v, entitiesShelf) {
		world, more, err := l.world(ctx, v)
		if err != nil {
			return doc, err
		}
		doc.Entities, doc.More = count(world), more
	}
	if l.isOpen(v, sessionsShelf) {
		sessions, err := l.src.Log.Sessions(ctx, 0)
		if err != nil {
			return doc, err
		}
		doc.Sessions = count(sessions)
	}
	if l.isOpen(v, rulesShelf) {
		all, err := l.src.Rules.Rules(ctx)
		if err != nil {
			return doc, err
		}
		doc.Rules = count(all)
	}
	return doc, nil
}

func count[T any](all []T) *int {
	n := len(all)
	return &n
}

func (l *Library) sceneText() string {
	if l.src.Scene == nil {
		return ""
	}
	return untrusted.Clean(l.src.Scene(), maxText)
}

type sceneDoc struct {
	Text string `json:"text"`
	// Placed are the entities with a position on the map.
	Placed []entityCard `json:"placed"`
}

func (l *Library) scene(ctx context.Context, v LibraryView) (sceneDoc, error) {
	doc := sceneDoc{Text: l.sceneText(), Placed: []entityCard{}}
	if l.src.Graph == nil {
		return doc, nil
	}
	world, _, err := l.world(ctx, v)
	if err != nil {
		return doc, err
	}
	for _, e := range world {
		if e.Position != nil {
			doc.Placed = append(doc.Placed, entityCardOf(e))
		}
	}
	return doc, nil
}

type entitiesDoc struct {
	Count    int          `json:"count"`
	Entities []entityCard `json:"entities"`
	// More says that there are more entities than listed.
	More bool `json:"more,omitempty"`
}

type entityCard struct {
	ID          string           `json:"id"`
	Type        string           `json:"type"`
	Name        string           `json:"name"`
	Description string           `json:"description,omitempty"`
	Position    *memory.Position `json:"position,omitempty"`
	URI         string           `json:"uri"`
}

// world returns the entities that v may see, ordered by name, at most maxEntities, and whether there are
// more.
func (l *Library) world(ctx context.Context, v LibraryView) (all []memory.Entity, more bool, err error) {
	all, err = l.src.Graph.FindEntities(ctx, memory.EntityQuery{Viewer: v.Viewer, Limit: maxEntities + 1})
	if err != nil {
		return nil, false, err
	}
	all, more = cut(all, maxEntities)
	return all, more, nil
}

// cut returns the first n elements of all, and whether there are more.
func cut[T any](all []T, n int) ([]T, bool) { return all[:min(len(all), n)], len(all) > n }

func (l *Library) entities(ctx context.Context, v LibraryView) (entitiesDoc, error) {
	world, more, err := l.world(ctx, v)
	doc := entitiesDoc{Count: len(world), Entities: make([]entityCard, len(world)), More: more}
	for i, e := range world {
		doc.Entities[i] = entityCardOf(e)
	}
	return doc, err
}

func entityCardOf(e memory.Entity) entityCard {
	return entityCard{
		ID: e.ID, Type: name(e.Type), Name: name(e.Name), Description: untrusted.Clean(e.Description, maxBlurb),
		Position: finite(e.Position), URI: EntityURI(e.ID),
	}
}

// finite returns p, or nil if JSON cannot represent its coordinates.
func finite(p *memory.Position) *memory.Position {
	if p == nil {
		return nil
	}
	for _, x := range p {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
	}
	return p
}

type entityDoc struct {
	entityCard
	Aliases    []string          `json:"aliases,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"`
	// KnownBy lists the NPCs that know of the entity, for views that see everything.
	KnownBy   []string       `json:"known_by,omitempty"`
	Relations []relationLine `json:"relations"`
	// Connected are the entities at the other ends of the relations.
	Connected []entityLink `json:"connected"`
	// More says that there are more relations or connected entities.
	More bool `json:"more,omitempty"`
}

// entityLink identifies an entity without fields that change often, so that changes do not affect the
// documents of its neighbours.
type entityLink struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Name string `json:"name"`
	URI  string `json:"uri"`
}

type relationLine struct {
	From string `json:"from"`
	Type string `json:"type"`
	To   string `json:"to"`
	Note string `json:"note,omitempty"`
}

func (l *Library) entity(ctx context.Context, v LibraryView, id string) (entityDoc, error) {
	near, err := l.src.Graph.Neighbours(ctx, id, v.Viewer, 1)
	if err != nil {
		return entityDoc{}, err
	}
	e := near.Entity
	doc := entityDoc{entityCard: entityCardOf(e), Aliases: names(e.Aliases), Attributes: map[string]string{}}
	doc.Description = untrusted.Clean(e.Description, maxText)
	for k, val := range e.Attributes {
		doc.Attributes[name(k)] = untrusted.Clean(val, maxBlurb)
	}
	if v.Viewer == "" {
		doc.KnownBy = names(e.Visible)
	}
	relations, cutOff := cut(near.Relations, maxRelations)
	doc.Relations = make([]relationLine, len(relations))
	for i, r := range relations {
		doc.Relations[i] = relationLine{r.From, name(r.Type), r.To, untrusted.Clean(r.Note, maxBlurb)}
	}
	connected, more := cut(near.Connected, maxRelations)
	doc.Connected, doc.More = make([]entityLink, len(connected)), more || cutOff
	for i, c := range connected {
		doc.Connected[i] = entityLink{c.ID, name(c.Type), name(c.Name), EntityURI(c.ID)}
	}
	return doc, nil
}

// name cleans text that should be one short line.
func name(s string) string { return untrusted.Clean(s, maxName) }

func names(all []string) []string {
	all, _ = cut(all, maxList)
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = name(s)
	}
	return out
}

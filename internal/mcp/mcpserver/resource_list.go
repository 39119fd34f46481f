package mcpserver

import (
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxSessionsListed is how many sessions, newest first, are listed as resources of their own.
const maxSessionsListed = 100

// items lists a shelf's own document and its documents by id. Sizes are given where the document has been
// built anyway.
func (l *Library) items(ctx context.Context, v LibraryView, shelfName string) ([]*sdk.Resource, error) {
	own := l.collection(shelfName)
	switch shelfName {
	case npcsShelf:
		return l.listNPCs(ctx, v, own)
	case entitiesShelf:
		return l.listEntities(ctx, v, own)
	case sessionsShelf:
		return l.listSessions(ctx, own)
	case latencyShelf:
		own.Annotations.Audience = []sdk.Role{"assistant"}
	case rulesShelf:
		doc, err := l.rules(ctx)
		if err != nil {
			return nil, err
		}
		if err := measure(own, doc); err != nil {
			return nil, err
		}
	}
	return []*sdk.Resource{own}, nil
}

// collection describes a shelf's own document.
func (l *Library) collection(shelfName string) *sdk.Resource {
	s := shelves[shelfName]
	return &sdk.Resource{
		URI: address{shelf: shelfName}.String(), Name: shelfName, Title: s.title, Description: s.description,
		MIMEType: mimeType, Annotations: annotations(s.priority, ""),
	}
}

// resourceItem describes a document by id.
func resourceItem(a address, title, description string, modified time.Time) *sdk.Resource {
	r := &sdk.Resource{
		URI: a.String(), Name: a.shelf + "/" + name(a.id), Title: title, Description: description,
		MIMEType: mimeType, Annotations: annotations(shelves[a.shelf].priority, ""),
	}
	if a.part != "" {
		r.Name += "/" + a.part
	}
	if !modified.IsZero() {
		r.Annotations.LastModified = modified.UTC().Format(time.RFC3339)
	}
	return r
}

// measure sets the size of a document.
func measure(r *sdk.Resource, doc any) error {
	text, err := encodeDocument(doc)
	r.Size = int64(len(text))
	return err
}

func (l *Library) listNPCs(ctx context.Context, v LibraryView, own *sdk.Resource) ([]*sdk.Resource, error) {
	doc, err := l.cast(ctx, v)
	if err != nil {
		return nil, err
	}
	if err := measure(own, doc); err != nil {
		return nil, err
	}
	out := []*sdk.Resource{own}
	for _, n := range doc.NPCs {
		r := resourceItem(address{shelf: npcsShelf, id: n.ID}, n.Name, "Who "+n.Name+" is and how to play the part.", time.Time{})
		full, err := l.npc(ctx, v, n.ID)
		if err != nil {
			return nil, err
		}
		if err := measure(r, full); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func (l *Library) listEntities(ctx context.Context, v LibraryView, own *sdk.Resource) ([]*sdk.Resource, error) {
	doc, err := l.entities(ctx, v)
	if err != nil {
		return nil, err
	}
	if err := measure(own, doc); err != nil {
		return nil, err
	}
	out := []*sdk.Resource{own}
	for _, e := range doc.Entities {
		out = append(out, resourceItem(address{shelf: entitiesShelf, id: e.ID}, e.Name, e.Description, time.Time{}))
	}
	return out, nil
}

func (l *Library) listSessions(ctx context.Context, own *sdk.Resource) ([]*sdk.Resource, error) {
	doc, err := l.sessions(ctx)
	if err != nil {
		return nil, err
	}
	if err := measure(own, doc); err != nil {
		return nil, err
	}
	out := []*sdk.Resource{own}
	sessions, _ := cut(doc.Sessions, maxSessionsListed)
	for _, s := range sessions {
		when := s.Started.UTC().Format("2 January 2006, 15:04")
		var modified time.Time
		if s.Ended != nil {
			modified = *s.Ended
		}
		out = append(out,
			resourceItem(address{shelf: sessionsShelf, id: s.ID}, "Session of "+when, "When the session was played and how much was said.", modified),
			resourceItem(address{shelf: sessionsShelf, id: s.ID, part: transcriptPart}, "Transcript of "+when, "What was said, line by line.", modified))
	}
	return out, nil
}

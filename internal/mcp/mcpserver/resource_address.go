package mcpserver

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	scheme = "glyphoxa://"
	// maxURI bounds an address in bytes. Longer ones are unknown.
	maxURI = 2048
)

// Shelves are kinds of documents. The name of a shelf is the path of its collection.
const (
	campaignShelf = "campaign"
	sceneShelf    = "scene"
	npcsShelf     = "npcs"
	entitiesShelf = "entities"
	sessionsShelf = "sessions"
	rulesShelf    = "rules"
	latencyShelf  = "tools/latency"

	transcriptPart = "transcript"
)

// Permissions that open shelves.
const (
	mayReadNPCs     = "npc.read"
	mayReadWorld    = "world.read"
	mayReadSessions = "session.read"
	mayReadRules    = "rules.read"
)

// shelf describes a kind of document. If items is set, it has documents by id.
type shelf struct {
	permission  string
	title       string
	description string
	priority    float64 // 0 to 1
	items       bool
}

// shelves must not be modified.
var shelves = map[string]shelf{
	campaignShelf: {mayReadWorld, "Campaign", "The campaign: its name, its rule system, what is going on, and how much there is of everything.", 0.9, false},
	sceneShelf:    {mayReadWorld, "Scene", "What is going on at the table, and who and what is placed on the map.", 1, false},
	npcsShelf:     {mayReadNPCs, "Cast", "The NPCs of the table.", 0.9, true},
	entitiesShelf: {mayReadWorld, "World", "People, places, factions and items of the world.", 0.7, true},
	sessionsShelf: {mayReadSessions, "Sessions", "The sessions played so far, newest first.", 0.5, true},
	rulesShelf:    {mayReadRules, "Rules", "The rules of the game by id, each with a one-line summary.", 0.4, true},
	latencyShelf:  {"", "Tool latency", "How fast each tool answers: tier, median and 99th percentile in milliseconds.", 0.3, false},
}

func shelfNames() []string {
	return []string{campaignShelf, sceneShelf, npcsShelf, entitiesShelf, sessionsShelf, rulesShelf, latencyShelf}
}

// address is a parsed URI.
type address struct {
	shelf string
	// id is empty for a collection.
	id string
	// part is transcriptPart or empty.
	part string
}

// String returns the address as a URI. The form is canonical: all bytes of an id except the unreserved ones
// of RFC 3986 are percent-encoded.
func (a address) String() string {
	s := scheme + a.shelf
	if a.id != "" {
		s += "/" + strings.ReplaceAll(url.QueryEscape(a.id), "+", "%20")
	}
	if a.part != "" {
		s += "/" + a.part
	}
	return s
}

// parseAddress parses uri. It accepts ids with more or less percent-encoding than necessary, because clients
// differ in that.
func parseAddress(uri string) (address, bool) {
	path, ok := strings.CutPrefix(uri, scheme)
	if !ok || len(uri) > maxURI || strings.ContainsAny(path, "?#") {
		return address{}, false
	}
	if _, ok := shelves[path]; ok {
		return address{shelf: path}, true
	}
	parts := strings.Split(path, "/")
	if s := shelves[parts[0]]; !s.items || len(parts) > 3 {
		return address{}, false
	}
	a := address{shelf: parts[0]}
	if len(parts) == 3 {
		a.part = parts[2]
		if a.shelf != sessionsShelf || a.part != transcriptPart {
			return address{}, false
		}
	}
	id, err := url.PathUnescape(parts[1])
	if err != nil || id == "" || !utf8.ValidString(id) {
		return address{}, false
	}
	a.id = id
	return a, true
}

// CanonicalURI returns the canonical spelling of a URI, which [Library.Read] and [TouchedURIs] use, and
// whether the URI has the form of a resource address.
func CanonicalURI(uri string) (string, bool) {
	a, ok := parseAddress(uri)
	if !ok {
		return "", false
	}
	return a.String(), true
}

// addressTemplate is a URI template of addresses.
type addressTemplate struct {
	raw, name, title, description string
	shelf                         string
	part                          string
	priority                      float64
}

func templates() []addressTemplate {
	return []addressTemplate{
		{EntityTemplate, "entity", "Entity", "One person, place, faction or item with all that is known of it and what it is connected to.", entitiesShelf, "", 0.7},
		{NPCTemplate, "npc", "NPC", "One NPC: who it is, how it behaves and what it knows a lot about.", npcsShelf, "", 0.9},
		{RuleTemplate, "rule", "Rule", "One rule of the game in full.", rulesShelf, "", 0.4},
		{SessionTemplate, "session", "Session", "When a session was played and how much was said.", sessionsShelf, "", 0.5},
		{transcriptTemplate, "transcript", "Transcript", "What was said in a session, line by line.", sessionsShelf, transcriptPart, 0.6},
	}
}

// templateOf returns the template with the given raw text.
func templateOf(raw string) (addressTemplate, bool) {
	all := templates()
	i := slices.IndexFunc(all, func(t addressTemplate) bool { return t.raw == raw })
	if i < 0 {
		return addressTemplate{}, false
	}
	return all[i], true
}

// TouchedURIs lists the addresses of the documents that change with an entity; an empty id stands for the
// scene's text. An NPC's document is included, because whoever may see the entity may see the NPC.
//
// The documents of connected entities show the relation and the entity's name and type. A change of these,
// including removal, therefore counts as a change of both ends of each relation.
func TouchedURIs(entityID string) []string {
	uris := []string{address{shelf: campaignShelf}.String(), address{shelf: sceneShelf}.String()}
	if entityID == "" {
		return uris
	}
	return append(uris,
		address{shelf: entitiesShelf}.String(), address{shelf: entitiesShelf, id: entityID}.String(),
		address{shelf: npcsShelf}.String(), address{shelf: npcsShelf, id: entityID}.String())
}

// TouchedSessionURIs lists the addresses of the documents that change when a session starts, gets a line or
// ends.
func TouchedSessionURIs(id string) []string {
	return []string{
		address{shelf: campaignShelf}.String(), address{shelf: sessionsShelf}.String(),
		address{shelf: sessionsShelf, id: id}.String(), address{shelf: sessionsShelf, id: id, part: transcriptPart}.String(),
	}
}

// SceneURI is the address of the scene.
func SceneURI() string { return address{shelf: sceneShelf}.String() }

// NPCURI is the address of an NPC.
func NPCURI(id string) string { return address{shelf: npcsShelf, id: id}.String() }

// EntitiesURI is the address of the list of entities.
func EntitiesURI() string { return address{shelf: entitiesShelf}.String() }

// EntityURI is the address of an entity.
func EntityURI(id string) string { return address{shelf: entitiesShelf, id: id}.String() }

// RuleURI is the address of a rule.
func RuleURI(id string) string { return address{shelf: rulesShelf, id: id}.String() }

// TranscriptURI is the address of a session's transcript.
func TranscriptURI(session string) string {
	return address{shelf: sessionsShelf, id: session, part: transcriptPart}.String()
}

// URI templates of the addresses above.
const (
	NPCTemplate     = scheme + npcsShelf + "/{id}"
	EntityTemplate  = scheme + entitiesShelf + "/{id}"
	RuleTemplate    = scheme + rulesShelf + "/{id}"
	SessionTemplate = scheme + sessionsShelf + "/{id}"

	transcriptTemplate = SessionTemplate + "/" + transcriptPart
)

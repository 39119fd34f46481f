package world

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// MaxCampaignSize bounds a campaign file, in bytes.
const MaxCampaignSize = 16 << 20

// Campaign is a validated campaign: ids are unique, and all references exist.
type Campaign struct {
	Name string
	// System is the rule system, such as "dnd5e"; empty if not given.
	System string
	// Scene is the scene at the start of the first session.
	Scene     string
	Entities  []memory.Entity
	Relations []memory.Relation
	// Facts are the facts given in the file. Their At is zero.
	Facts []memory.Fact
	// Calendar is the world's calendar, and Today the date at the start of the first session, as written in
	// the file. Both are zero if not given.
	Calendar Calendar
	Today    string
	// Groups are the groups that NPCs can belong to.
	Groups []CampaignGroup
	// File is the path of the campaign's file, and Lines the lines of its entries.
	File  string
	Lines CampaignLines
}

// CampaignGroup is a group of NPCs that share knowledge.
type CampaignGroup struct {
	ID, Name string
	Members  []string
	// Shares means that every member learns what one of them heard.
	Shares bool
}

// DMOnly in a list of viewers means that only the DM knows. No NPC may have it as its id.
const DMOnly = memory.DMOnly

// CampaignLines are the lines of a campaign's entries, in order, and of its scene.
type CampaignLines struct {
	Entities, Relations, Facts []int
	Scene                      int
}

// CampaignStore stores a campaign. *sqlite.Store implements it.
type CampaignStore interface {
	// ApplyCampaign stores entries that are new or differ from the last applied file, in one
	// transaction.
	ApplyCampaign(ctx context.Context, entities []memory.Entity, relations []memory.Relation, facts []memory.Fact) error
}

// Apply updates memory to the file: entities with a fact for each description, relations, and facts. It keeps
// changes made at the table to entries that are unchanged in the file, and entries that the file no longer
// has. Facts are found by full text until they are indexed.
func (c *Campaign) Apply(ctx context.Context, k CampaignStore) error {
	facts, now := slices.Clone(c.Facts), time.Now()
	for i := range facts {
		facts[i].At = now
	}
	if err := k.ApplyCampaign(ctx, c.Entities, c.Relations, facts); err != nil {
		return fmt.Errorf("storing campaign %q: %w", c.Name, err)
	}
	return nil
}

func entitySource(id string) string { return "entity:" + id }

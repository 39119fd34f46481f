package world

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/MrWong99/glyphoxa/pkg/memory"
)

// MaxCampaignSize is the largest campaign file that is read, in bytes.
const MaxCampaignSize = 16 << 20

// Campaign is a world that has been read and found sound: ids are unique, and
// everything that is referred to exists.
type Campaign struct {
	Name string
	// System is the rule system, such as "dnd5e"; empty if the file names none.
	System string
	// Scene is what is going on when the first session starts.
	Scene     string
	Entities  []memory.Entity
	Relations []memory.Relation
	// Facts are those the file spells out. Their At is zero.
	Facts []memory.Fact
	// Calendar is how the world counts its days, and Today the day on which the first
	// session starts, as the file writes it; both are zero if the file says nothing.
	Calendar Calendar
	Today    string
	// Groups are those that NPCs may belong to.
	Groups []CampaignGroup
	// File is the path the campaign was read from, Lines where in it its entries are.
	File  string
	Lines CampaignLines
}

// CampaignGroup is what NPCs belong to and know things by.
type CampaignGroup struct {
	ID, Name string
	Members  []string
	// Shares says that every member learns what one of them heard.
	Shares bool
}

// DMOnly stands in a list of those who know of something where nobody but the DM
// does. No NPC may have it for an id.
const DMOnly = memory.DMOnly

// CampaignLines are the lines of a campaign's entries, in their order, and of its scene.
type CampaignLines struct {
	Entities, Relations, Facts []int
	Scene                      int
}

// ClockKeeper is where a campaign is kept. *sqlite.Store is one.
type ClockKeeper interface {
	// Settle stores, all or nothing, what is new or differs from what the file said
	// last.
	Settle(ctx context.Context, entities []memory.Entity, relations []memory.Relation, facts []memory.Fact) error
}

// Apply brings memory up to what the file says: entities with a fact for each
// description, relations, and facts. An entry that says what it said the last
// time leaves alone what has become of it at the table, and what the file no
// longer mentions stays. Facts are found by full text until they are indexed.
func (c *Campaign) Apply(ctx context.Context, k ClockKeeper) error {
	facts, now := slices.Clone(c.Facts), time.Now()
	for i := range facts {
		facts[i].At = now
	}
	if err := k.Settle(ctx, c.Entities, c.Relations, facts); err != nil {
		return fmt.Errorf("storing campaign %q: %w", c.Name, err)
	}
	return nil
}

func entitySource(id string) string { return "entity:" + id }

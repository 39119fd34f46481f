package app

import "path/filepath"

const (
	// campaignsDir holds a directory for each campaign of a guild that was loaded.
	campaignsDir = "campaigns"
	// campaignFile is the file it was loaded from.
	campaignFile = "campaign.yaml"
)

func (l *lodging) campaignDir(id string) string { return filepath.Join(l.dir, campaignsDir, id) }

// campaign returns the campaign of an id that is known; the configured one has
// none.
func (e *guildEntry) campaign(id string) keptCampaign {
	for _, c := range e.Campaigns {
		if c.ID == id {
			return c
		}
	}
	return keptCampaign{}
}

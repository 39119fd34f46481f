// Package campaigns embeds the sample world, thornhollow.yaml, in the format
// of package internal/campaign.
//
// Imported by whoever starts a table without a configuration of its own. It
// holds no code beyond the files.
package campaigns

import "embed"

//go:embed *.yaml
var files embed.FS

// Files returns the campaign files.
func Files() embed.FS { return files }

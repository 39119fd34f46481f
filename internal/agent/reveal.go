package agent

import "slices"

// Told are the secrets that the NPC may tell now. They are not changed any more.
func (a *Agent) Told() []string { return slices.Clip(a.told) }

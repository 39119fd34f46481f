package config

import (
	"slices"
	"strings"

	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// usedBy says, for keys that only one kind of rule uses, which kind that is.
var usedBy = []struct{ key, kind string }{
	{"calls", RuleRateLimit}, {"window", RuleRateLimit},
	{"from", RuleTimeWindow}, {"to", RuleTimeWindow}, {"days", RuleTimeWindow}, {"zone", RuleTimeWindow},
	{"grant", RulePermissionOverride}, {"revoke", RulePermissionOverride}, {"until", RulePermissionOverride},
	{"expires", RuleApproval}, {"wait", RuleApproval},
}

// warnOfRules warns about settings without effect: keys that a kind of rule ignores, and names that no
// client or NPC has. Rules that cannot work are found by Options.Judge.
func (l *loader) warnOfRules(root userfile.Path) {
	for i := range l.cfg.Server.Policy {
		r := &l.cfg.Server.Policy[i]
		entry := root.Item(i)
		for _, u := range usedBy {
			if path := entry.Key(u.key); r.Kind != "" && u.kind != r.Kind && l.main.HasValue(path) {
				l.addWarning(l.main, path, "is not used by rule "+r.Kind, "remove it, or change the rule")
			}
		}
		l.checkWho(entry.Key("who"), r.Who)
	}
}

// checkWho warns about names that no client or NPC has, because their rule would never
// apply.
func (l *loader) checkWho(root userfile.Path, who []string) {
	for i, name := range who {
		path := root.Item(i)
		if strings.ContainsAny(name, "*?") || strings.HasPrefix(name, "oauth:") || l.main.Broken(path) {
			continue
		}
		known := l.callers()
		if slices.Contains(known, name) {
			continue
		}
		fix := userfile.Suggest(name, known, "add the client, or remove the line")
		l.addWarning(l.main, path, "no client or NPC is called "+l.main.Quote(path, name), fix)
	}
}

// callers returns the names of callers that are known before the first call.
func (l *loader) callers() []string {
	out := builtInCallers()
	for i := range l.cfg.Server.Clients {
		out = append(out, l.cfg.Server.Clients[i].Name)
	}
	for _, id := range l.npcIDs() {
		out = append(out, "npc:"+id)
	}
	return out
}

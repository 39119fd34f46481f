package access

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/userfile"
)

// Check returns the faults that [New] would report in the profiles, rules and limits of s, in the order of
// their sections.
func Check(s config.Server) []config.Fault {
	_, faults := compile(Options{Profiles: s.Profiles, Rules: s.Policy, Limits: s.Limits})
	return faults
}

// compiled is the compiled policy of an engine.
type compiled struct {
	profiles map[string]rights
	rules    []*rule
}

// compiler compiles options into a policy and collects faults.
type compiler struct {
	faults []config.Fault
}

// addFault records a fault of value at path in owner.
func (c *compiler) addFault(path, owner, value, what, fix string) {
	c.faults = append(c.faults, config.Fault{Path: path, Owner: owner, Value: value, What: what, Fix: fix})
}

func compile(o Options) (compiled, []config.Fault) {
	c := &compiler{}
	out := compiled{profiles: c.profiles(o.Profiles)}
	seen := map[string]string{}
	for i := range o.Rules {
		in := &o.Rules[i]
		path := fmt.Sprintf("policy[%d]", i)
		name := config.FoldName(in.Name)
		if first, taken := seen[name]; taken {
			c.faults = append(c.faults, config.Fault{
				Path: path + ".name", Owner: fmt.Sprintf("rule %q", in.Name), Earlier: first,
				What: "another rule has this name", Fix: "rename one of them",
			})
		} else {
			seen[name] = path + ".name"
		}
		out.rules = append(out.rules, c.rule(path, in))
	}
	c.limits(o.Limits)
	return out, c.faults
}

// profiles returns all profiles by name.
func (c *compiler) profiles(own map[string]config.Profile) map[string]rights {
	out := map[string]rights{}
	for _, p := range BuiltinProfiles() {
		out[p.Name] = rights{p, setOf(p.Permissions)}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		in := own[name]
		path := "profiles." + name
		owner := fmt.Sprintf("profile %q", name)
		builtIn := func(p Profile) bool { return strings.EqualFold(p.Name, name) }
		switch {
		case slices.ContainsFunc(BuiltinProfiles(), builtIn):
			c.addFault(path, "", name, "is a built-in profile", "give yours another name")
		case !profilePattern.MatchString(name):
			c.addFault(path, "", name, "is no name for a profile", "use up to 64 letters a to z, digits, ., - and _")
		}
		set := c.permissions(path+".permissions", owner, in.Permissions)
		if in.Sees != "" && in.Sees != config.SeesAll && in.Sees != config.SeesCommon {
			c.addFault(path+".sees", owner, in.Sees, "is nothing that a profile sees", "write common or all")
		}
		p := Profile{Name: name, Permissions: slices.Clone(in.Permissions), SeesAll: in.Sees == config.SeesAll}
		out[name] = rights{p, set}
	}
	return out
}

func (c *compiler) permissions(path, owner string, names []string) permissionSet {
	for i, n := range names {
		if bits[n] == 0 {
			c.addFault(fmt.Sprintf("%s[%d]", path, i), owner, n, "is no permission", meant(n, Permissions()))
		}
	}
	return setOf(names)
}

// meant suggests what to write instead of word.
func meant(word string, known []string) string {
	if near := userfile.Nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "use one of " + strings.Join(known, ", ")
}

// maxName bounds names, in bytes.
const maxName = 64

var profilePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// isName reports whether s may be the name of a rule: short and readable.
func isName(s string) bool {
	return s != "" && len(s) <= maxName && readable(s)
}

// readable reports whether s has only visible characters and no surrounding spaces.
func readable(s string) bool {
	return strings.TrimSpace(s) == s &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar })
}

func (c *compiler) limits(l config.Limits) {
	if l.Burst < 0 {
		c.addFault("limits.burst", "", "", "nobody could call anything", "use a number above 0, such as 100")
	}
	if l.PerSecond < 0 || math.IsNaN(l.PerSecond) || math.IsInf(l.PerSecond, 0) {
		c.addFault("limits.per_second", "", "", "nobody could call anything", "use a number above 0, such as 10")
	}
}

package policy

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/problem"
)

// Problem is one thing that cannot work.
type Problem struct {
	// Path is where it is within the server's section, such as "policy[2].zone".
	Path string
	// What says what is wrong, with the name of the rule or profile; Fix what to
	// do about it.
	What, Fix string
}

// String returns "path: what; fix".
func (p Problem) String() string { return p.Path + ": " + p.What + "; " + p.Fix }

// Check returns what [New] would complain about in the profiles, rules and
// limits of s, in the order of their paths' sections.
func Check(s config.Server) []Problem {
	_, problems := compile(Options{Profiles: s.Profiles, Rules: s.Policy, Limits: s.Limits})
	return problems
}

// compiled is what an engine is made of.
type compiled struct {
	profiles map[string]rights
	rules    []*rule
}

// compiler turns options into a compiled policy and gathers what is wrong.
type compiler struct {
	problems []Problem
}

func (c *compiler) fault(path, what, fix string) {
	c.problems = append(c.problems, Problem{path, what, fix})
}

func compile(o Options) (compiled, []Problem) {
	c := &compiler{}
	out := compiled{profiles: c.profiles(o.Profiles)}
	seen := map[string]int{}
	for i := range o.Rules {
		in := &o.Rules[i]
		path := fmt.Sprintf("policy[%d]", i)
		if first, taken := seen[in.Name]; taken {
			c.fault(path+".name", fmt.Sprintf("rule %q has the name of policy[%d]", in.Name, first), "rename one of them")
		} else {
			seen[in.Name] = i
		}
		out.rules = append(out.rules, c.rule(path, in))
	}
	c.limits(o.Limits)
	return out, c.problems
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
			c.fault(path, owner+" has the name of a built-in profile", "give yours another name")
		case !isName(name):
			c.fault(path, owner+" has no usable name", "use up to 64 letters, digits, ., - and _")
		}
		set := c.permissions(path+".permissions", owner, in.Permissions)
		if in.Sees != "" && in.Sees != config.SeesAll && in.Sees != config.SeesCommon {
			c.fault(path+".sees", fmt.Sprintf("%s sees %q", owner, in.Sees), "write common or all")
		}
		p := Profile{Name: name, Permissions: slices.Clone(in.Permissions), SeesAll: in.Sees == config.SeesAll}
		out[name] = rights{p, set}
	}
	return out
}

func (c *compiler) permissions(path, owner string, names []string) permissionSet {
	for i, n := range names {
		if bits[n] == 0 {
			c.fault(fmt.Sprintf("%s[%d]", path, i), fmt.Sprintf("%s names the unknown permission %q", owner, n), meant(n, Permissions()))
		}
	}
	return setOf(names)
}

// meant says what to write in place of word.
func meant(word string, known []string) string {
	if near := problem.Nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "use one of " + strings.Join(known, ", ")
}

// maxName bounds names, in bytes.
const maxName = 64

// isName reports whether s can be the name of a rule or profile: short and
// readable.
func isName(s string) bool {
	return s != "" && len(s) <= maxName && readable(s)
}

// readable reports whether s shows what it is: no invisible characters, no
// spaces around it.
func readable(s string) bool {
	return strings.TrimSpace(s) == s &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar })
}

func (c *compiler) limits(l config.Limits) {
	if l.Burst < 0 {
		c.fault("limits.burst", fmt.Sprintf("a burst of %d lets nobody call", l.Burst), "use a number above 0, such as 100")
	}
	if l.PerSecond < 0 || math.IsNaN(l.PerSecond) || math.IsInf(l.PerSecond, 0) {
		c.fault("limits.per_second", fmt.Sprintf("%v is no number of calls a second", l.PerSecond), "use a number above 0, such as 10")
	}
}

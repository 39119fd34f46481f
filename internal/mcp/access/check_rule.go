package access

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // time zones must load on machines without any

	"github.com/MrWong99/glyphoxa/internal/config"
)

// maxCalls bounds the calls of a rate limit, because all of them are remembered.
const maxCalls = 10_000

// Bounds on durations in rules.
const (
	maxWindow  = day
	minExpires = time.Second
	maxExpires = day
	maxWait    = 5 * time.Minute
)

// rule compiles one rule.
func (c *compiler) rule(path string, in *config.Rule) *rule {
	r := &rule{name: in.Name, kind: in.Kind, who: in.Who, tools: in.Tools}
	owner := fmt.Sprintf("rule %q", in.Name)
	if !isName(in.Name) {
		c.addFault(path+".name", owner, "", "is no name for a rule", "give it one of up to 64 readable characters, without spaces around them")
	}
	c.globs(path+".who", owner, in.Who)
	c.globs(path+".tools", owner, in.Tools)
	switch in.Kind {
	case config.RuleRateLimit:
		c.rateLimit(path, owner, in, r)
	case config.RuleTimeWindow:
		c.timeWindow(path, owner, in, r)
	case config.RuleToolRestriction:
		if len(in.Tools) == 0 {
			c.addMissing(path+".tools", owner, in.Kind, `add it, such as "write_*", or "*" for all`)
		}
	case config.RulePermissionOverride:
		c.override(path, owner, in, r)
	case config.RuleApproval:
		r.expires, r.wait = time.Duration(in.Expires), time.Duration(in.Wait)
		if r.expires != 0 && (r.expires < minExpires || r.expires > maxExpires) {
			c.addFault(path+".expires", owner, r.expires.String(), "is no time to wait for approval", "use 1s to 24h, such as 10m")
		}
		if r.wait < 0 || r.wait > maxWait {
			c.addFault(path+".wait", owner, r.wait.String(), "is no time to keep a caller waiting", "use 0s to 5m")
		}
	default:
		c.addFault(path+".rule", owner, in.Kind, "is no kind of rule", meant(in.Kind, kinds()))
	}
	return r
}

// addMissing records that a rule lacks a field that its kind requires.
func (c *compiler) addMissing(path, owner, kind, fix string) {
	c.addFault(path, owner, "", "is missing; rule "+kind+" needs it", fix)
}

func kinds() []string {
	return []string{
		config.RuleRateLimit, config.RuleTimeWindow, config.RuleToolRestriction,
		config.RulePermissionOverride, config.RuleApproval,
	}
}

// globs checks patterns and reports those that could be misunderstood or match nothing.
func (c *compiler) globs(path, owner string, globs []string) {
	for i, g := range globs {
		if !isGlob(g) {
			c.addFault(fmt.Sprintf("%s[%d]", path, i), owner, g, "is no pattern", "write a name; * stands for any letters, ? for one")
		}
	}
}

// maxGlob bounds patterns, in bytes. Names from other systems can be long.
const maxGlob = 256

func isGlob(g string) bool {
	return g != "" && len(g) <= maxGlob && readable(g) && !strings.ContainsAny(g, `[]{}\`)
}

func (c *compiler) rateLimit(path, owner string, in *config.Rule, r *rule) {
	r.calls, r.window = in.Calls, time.Duration(in.Window)
	switch {
	case r.calls == 0:
		c.addMissing(path+".calls", owner, in.Kind, fmt.Sprintf("add it: 1 to %d", maxCalls))
	case r.calls < 0 || r.calls > maxCalls:
		c.addFault(path+".calls", owner, strconv.Itoa(r.calls), "is no number of calls", fmt.Sprintf("use 1 to %d", maxCalls))
	}
	switch {
	case r.window == 0:
		c.addMissing(path+".window", owner, in.Kind, "add it: 1ms to 24h, such as 1m")
	case r.window < time.Millisecond || r.window > maxWindow:
		c.addFault(path+".window", owner, r.window.String(), "is no window", "use 1ms to 24h, such as 1m")
	}
}

func (c *compiler) override(path, owner string, in *config.Rule, r *rule) {
	r.grant = c.permissions(path+".grant", owner, in.Grant)
	r.revoke = c.permissions(path+".revoke", owner, in.Revoke)
	if len(in.Grant)+len(in.Revoke) == 0 {
		c.addFault(path, owner, "", "changes nothing", "add grant or revoke")
	}
	for i, name := range in.Revoke {
		if bits[name]&r.grant != 0 {
			c.addFault(fmt.Sprintf("%s.revoke[%d]", path, i), owner, "", "is granted too", "remove it from one of them")
		}
	}
	if in.Until == "" {
		return
	}
	ends, err := time.Parse(time.RFC3339, in.Until)
	if err != nil {
		c.addFault(path+".until", owner, in.Until, "is no point in time", "write it as 2027-01-31T20:00:00Z")
	}
	r.ends = ends
}

func (c *compiler) timeWindow(path, owner string, in *config.Rule, r *rule) {
	r.hours.from = c.clock(path+".from", owner, in.From)
	r.hours.to = c.clock(path+".to", owner, in.To)
	if in.From != "" && in.From == in.To {
		c.addFault(path+".to", owner, "", "is the same as from", "leave some time between them")
	}
	for i, name := range in.Days {
		d, ok := weekday(name)
		if !ok {
			c.addFault(fmt.Sprintf("%s.days[%d]", path, i), owner, name, "is no day", "use mon, tue, wed, thu, fri, sat or sun")
		}
		r.hours.days |= 1 << d
	}
	zone, err := time.LoadLocation(in.Zone)
	if err != nil {
		c.addFault(path+".zone", owner, in.Zone, "is no time zone", "write it as Europe/Berlin or UTC")
		zone = time.UTC
	}
	r.hours.zone = zone
}

// clock parses a time of day.
func (c *compiler) clock(path, owner, s string) time.Duration {
	t, err := time.Parse("15:04", s)
	switch {
	case s == "":
		c.addMissing(path, owner, config.RuleTimeWindow, "add it, such as 18:00")
	case err != nil || t.Format("15:04") != s:
		c.addFault(path, owner, s, "is no time of day", "write it as 18:00")
	}
	return clockOf(t)
}

func weekday(name string) (time.Weekday, bool) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.ToLower(d.String()[:3]) == name {
			return d, true
		}
	}
	return 0, false
}

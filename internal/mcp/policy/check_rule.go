package policy

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // time zones must load on machines without any

	"github.com/MrWong99/glyphoxa/internal/config"
)

// maxCalls bounds a rate limit, whose calls are all remembered.
const maxCalls = 10_000

// What durations a rule may have.
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
		c.fault(path+".name", owner+" has no usable name", "give it one of up to 64 readable characters")
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
			c.fault(path+".tools", owner+" restricts no tools", `add tools, such as "write_*", or "*" for all`)
		}
	case config.RulePermissionOverride:
		c.override(path, owner, in, r)
	case config.RuleApproval:
		r.expires, r.wait = time.Duration(in.Expires), time.Duration(in.Wait)
		if r.expires != 0 && (r.expires < minExpires || r.expires > maxExpires) {
			c.fault(path+".expires", fmt.Sprintf("%s expires after %v", owner, r.expires), "use 1s to 24h, such as 10m")
		}
		if r.wait < 0 || r.wait > maxWait {
			c.fault(path+".wait", fmt.Sprintf("%s waits for %v", owner, r.wait), "use 0s to 5m")
		}
	default:
		c.fault(path+".rule", fmt.Sprintf("%s is of the unknown kind %q", owner, in.Kind), meant(in.Kind, kinds()))
	}
	return r
}

func kinds() []string {
	return []string{
		config.RuleRateLimit, config.RuleTimeWindow, config.RuleToolRestriction,
		config.RulePermissionOverride, config.RuleApproval,
	}
}

// globs looks for patterns that mean something else than they seem to, or
// nothing.
func (c *compiler) globs(path, owner string, globs []string) {
	for i, g := range globs {
		if !isGlob(g) {
			c.fault(fmt.Sprintf("%s[%d]", path, i), fmt.Sprintf("%s has the pattern %q, which matches no name", owner, g),
				"write a name of up to 256 characters; * stands for any of them, ? for one")
		}
	}
}

// maxGlob bounds patterns, in bytes: names from other systems can be long.
const maxGlob = 256

func isGlob(g string) bool {
	return g != "" && len(g) <= maxGlob && readable(g) && !strings.ContainsAny(g, `[]{}\`)
}

func (c *compiler) rateLimit(path, owner string, in *config.Rule, r *rule) {
	r.calls, r.window = in.Calls, time.Duration(in.Window)
	if r.calls < 1 || r.calls > maxCalls {
		c.fault(path+".calls", fmt.Sprintf("%s allows %d calls", owner, r.calls), fmt.Sprintf("use 1 to %d", maxCalls))
	}
	if r.window < time.Millisecond || r.window > maxWindow {
		c.fault(path+".window", fmt.Sprintf("%s has a window of %v", owner, r.window), "use 1ms to 24h, such as 1m")
	}
}

func (c *compiler) override(path, owner string, in *config.Rule, r *rule) {
	r.grant = c.permissions(path+".grant", owner, in.Grant)
	r.revoke = c.permissions(path+".revoke", owner, in.Revoke)
	if len(in.Grant)+len(in.Revoke) == 0 {
		c.fault(path, owner+" changes nothing", "add grant or revoke")
	}
	if r.grant&r.revoke != 0 {
		c.fault(path+".revoke", owner+" grants and revokes the same permission", "remove it from one of them")
	}
	if in.Until == "" {
		return
	}
	ends, err := time.Parse(time.RFC3339, in.Until)
	if err != nil {
		c.fault(path+".until", fmt.Sprintf("%s ends at %q, which is no point in time", owner, in.Until), "write it as 2027-01-31T20:00:00Z")
	}
	r.ends = ends
}

func (c *compiler) timeWindow(path, owner string, in *config.Rule, r *rule) {
	r.hours.from = c.clock(path+".from", owner, in.From)
	r.hours.to = c.clock(path+".to", owner, in.To)
	if in.From != "" && in.From == in.To {
		c.fault(path+".to", owner+" opens and closes at the same time", "leave some time between from and to")
	}
	for i, name := range in.Days {
		d, ok := weekday(name)
		if !ok {
			c.fault(fmt.Sprintf("%s.days[%d]", path, i), fmt.Sprintf("%s has the unknown day %q", owner, name), "use mon, tue, wed, thu, fri, sat or sun")
		}
		r.hours.days |= 1 << d
	}
	zone, err := time.LoadLocation(in.Zone)
	if err != nil {
		c.fault(path+".zone", fmt.Sprintf("%s names the unknown time zone %q", owner, in.Zone), "write it as Europe/Berlin or UTC")
		zone = time.UTC
	}
	r.hours.zone = zone
}

// clock reads a time of day.
func (c *compiler) clock(path, owner, s string) time.Duration {
	t, err := time.Parse("15:04", s)
	switch {
	case s == "":
		c.fault(path, owner+" lacks a time of day", "add it, such as 18:00")
	case err != nil || t.Format("15:04") != s:
		c.fault(path, fmt.Sprintf("%s has %q, which is no time of day", owner, s), "write it as 18:00")
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

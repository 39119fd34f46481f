package discordtest

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

func (s *Server) baseRoutes(add func(string, route)) {
	url := func(c *call) map[string]any { return map[string]any{"url": s.gatewayURL("/gateway")} }
	add("GET /gateway", func(c *call) (any, error) { return url(c), nil })
	add("GET /gateway/bot", func(c *call) (any, error) {
		v := url(c)
		v["shards"] = s.opts.Shards
		v["session_start_limit"] = map[string]any{
			"total": 1000, "remaining": max(0, s.gateway.starts), "reset_after": (24 * time.Hour).Milliseconds(),
			"max_concurrency": s.opts.MaxConcurrency,
		}
		return v, nil
	})
	add(selfPattern, func(c *call) (any, error) {
		if u := s.bearer(c); u != nil {
			return u, nil
		}
		return s.bot, nil
	})
	add("GET /users/@me/guilds", func(*call) (any, error) { return s.myGuilds(), nil })
	add("POST /users/@me/channels", func(c *call) (any, error) {
		var body struct {
			Recipient string `json:"recipient_id"`
		}
		if err := c.decode(&body); err != nil {
			return nil, err
		}
		u := s.users[body.Recipient]
		if u == nil {
			return nil, errUnknownUser
		}
		return s.dm(u), nil
	})
	add("GET /users/{user}", func(c *call) (any, error) {
		if u := s.users[c.id("user")]; u != nil {
			return u, nil
		}
		return nil, errUnknownUser
	})
	add("GET /applications/@me", func(*call) (any, error) { return s.application(), nil })
	add("GET /oauth2/applications/@me", func(*call) (any, error) { return s.application(), nil })
}

// selfPattern is the route that returns a token's owner.
const selfPattern = "GET /users/@me"

// The application flags for privileged intents of small bots.
const (
	flagPresencesLimited = 1 << 13
	flagMembersLimited   = 1 << 15
	flagContentLimited   = 1 << 19
)

func (s *Server) application() application {
	a := s.app
	for intent, flag := range map[Intents]int{
		IntentPresences: flagPresencesLimited, IntentGuildMembers: flagMembersLimited, IntentMessageContent: flagContentLimited,
	} {
		if s.gateway.allowed&intent != 0 {
			a.Flags |= flag
		}
	}
	return a
}

func (s *Server) myGuilds() []any {
	all := []any{}
	for _, g := range s.guildsOf(&session{shard: [2]int{0, 1}}) {
		all = append(all, map[string]any{
			"id": g.ID, "name": g.Name, "icon": nil, "owner": false, "permissions": g.base(g.members[s.bot.ID]), "features": g.Features,
		})
	}
	return all
}

func (s *Server) guildRoutes(add func(string, route)) {
	in := func(f func(*call, *guild) (any, error)) route {
		return func(c *call) (any, error) {
			g := s.guilds[c.id("guild")]
			switch {
			case g == nil:
				return nil, errUnknownGuild
			case !g.botIn:
				return nil, errMissingAccess
			}
			return f(c, g)
		}
	}
	add("GET /guilds/{guild}", in(func(_ *call, g *guild) (any, error) { return g, nil }))
	add("GET /guilds/{guild}/roles", in(func(_ *call, g *guild) (any, error) { return g.Roles, nil }))
	add("GET /guilds/{guild}/channels", in(func(_ *call, g *guild) (any, error) {
		all := s.channelsOf(g.ID)
		return slices.DeleteFunc(append([]*channel{}, all...), (*channel).isThread), nil
	}))
	add("GET /guilds/{guild}/threads/active", in(func(_ *call, g *guild) (any, error) {
		all := append([]*channel{}, s.channelsOf(g.ID)...)
		all = slices.DeleteFunc(all, func(c *channel) bool { return !c.isThread() })
		return map[string]any{"threads": all, "members": []any{}, "has_more": false}, nil
	}))
	add("GET /guilds/{guild}/webhooks", in(func(_ *call, g *guild) (any, error) {
		if g.base(g.members[s.bot.ID])&ManageWebhooks == 0 {
			return nil, errMissingPermissions
		}
		return s.webhooksWhere(func(w *webhook) bool { return w.GuildID == g.ID }), nil
	}))
	add("GET /guilds/{guild}/members/{user}", in(func(c *call, g *guild) (any, error) {
		if m := g.members[c.id("user")]; m != nil {
			return m, nil
		}
		if s.users[c.id("user")] == nil {
			return nil, errUnknownUser
		}
		return nil, errUnknownMember
	}))
	add("GET /guilds/{guild}/members", in(s.listMembers))
	add("GET /guilds/{guild}/members/search", in(func(c *call, g *guild) (any, error) {
		query := strings.ToLower(c.r.URL.Query().Get("query"))
		return sortedMembers(g, func(m *Member) bool {
			return strings.HasPrefix(m.User.Username, query) || m.Nick != nil && strings.HasPrefix(strings.ToLower(*m.Nick), query)
		}), nil
	}))
	add("DELETE /users/@me/guilds/{guild}", in(func(_ *call, g *guild) (any, error) {
		s.removeBot(g)
		return nil, nil
	}))
}

// listMembers requires the privileged intent, as Discord does.
func (s *Server) listMembers(c *call, g *guild) (any, error) {
	if s.gateway.allowed&IntentGuildMembers == 0 {
		return nil, errMissingAccess
	}
	q := c.r.URL.Query()
	limit, err := strconv.Atoi(q.Get("limit"))
	if err != nil {
		limit = 1
	}
	all := sortedMembers(g, func(m *Member) bool { return later(m.User.ID, q.Get("after")) })
	return all[:min(len(all), max(limit, 0))], nil
}

func sortedMembers(g *guild, keep func(*Member) bool) []*Member {
	all := []*Member{}
	for _, m := range g.members {
		if keep(m) {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *Member) int { return strings.Compare(a.User.ID, b.User.ID) })
	return all
}

// later reports whether one snowflake is greater than another; every snowflake
// is greater than none.
func later(id, than string) bool {
	a, _ := strconv.ParseUint(id, 10, 64)
	b, _ := strconv.ParseUint(than, 10, 64)
	return a > b
}

package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/play"
)

// Answers from Discord about who leads a game are cached for leadsFor. If Discord does not respond, a cached
// answer stays valid for leadsStale.
const (
	leadsFor   = time.Minute
	leadsStale = 10 * time.Minute
	maxLeads   = 1024 // cached answers at most
)

// maxSelf bounds Discord's response about an account, in bytes.
const maxSelf = 64 << 10

// Accounts lets people sign in to the console with their Discord account, and reports which guilds' games an
// account leads: those where it has a DM role, or all of them if it owns the application. It is safe for
// concurrent use and starts no goroutine. An account's token is used once and not stored.
type Accounts struct {
	oauth  oauth2.Config // without the client's id
	client *http.Client
	rest   *RestClient
	guild  string // if not empty, the only guild served
	dms    dmRoles

	requests singleflight.Group // deduplicates concurrent requests about one user and guild

	mu    sync.Mutex // guards the fields below
	app   *discordgo.Application
	appAt time.Time // when app was requested from Discord
	known map[leadsQuery]leadsAnswer
}

// leadsQuery identifies the question whether a user leads games in a guild.
type leadsQuery struct{ user, guild string }

type leadsAnswer struct {
	leads bool
	at    time.Time
}

// NewAccounts returns the accounts of the Discord configured in cfg, whose client secret must be set. If dial
// is nil, it uses the default dialler.
func NewAccounts(cfg config.Discord, dial DialFunc) (*Accounts, error) {
	session, err := NewRestSession(cfg.Token.Reveal(), cfg.APIURL, dial)
	if err != nil {
		return nil, err
	}
	site := "https://discord.com"
	if cfg.APIURL != "" {
		u, err := url.Parse(cfg.APIURL)
		if err != nil {
			return nil, fmt.Errorf("discord.api_url: %w", err)
		}
		site = u.Scheme + "://" + u.Host
	}
	return &Accounts{
		oauth: oauth2.Config{
			ClientSecret: cfg.ClientSecret.Reveal(), Scopes: []string{"identify"},
			Endpoint: oauth2.Endpoint{AuthURL: site + "/oauth2/authorize", TokenURL: "https://discord.com/api/oauth2/token", AuthStyle: oauth2.AuthStyleInParams},
		},
		client: session.Client, rest: NewRestClient(session), guild: cfg.Guild, dms: cfg.DMRoles, known: map[leadsQuery]leadsAnswer{},
	}, nil
}

// Service returns the name that people know the service by.
func (a *Accounts) Service() string { return "Discord" }

// SignInURL returns the address at which Discord asks the user for permission to identify them.
func (a *Accounts) SignInURL(ctx context.Context, redirect, state, verifier string) (string, error) {
	o, err := a.configFor(ctx, redirect)
	if err != nil {
		return "", err
	}
	return o.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("prompt", "none")), nil
}

// Account exchanges an authorisation code for the user who granted it. The id has the form of [play.UserRef].
func (a *Accounts) Account(ctx context.Context, redirect, code, verifier string) (id, name string, err error) {
	o, err := a.configFor(ctx, redirect)
	if err != nil {
		return "", "", err
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, a.client)
	token, err := o.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return "", "", fmt.Errorf("trading Discord's code: %w", explainRefusal(err))
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, discordgo.EndpointUser("@me"), nil)
	if err != nil {
		return "", "", err
	}
	token.SetAuthHeader(req)
	res, err := a.client.Do(req)
	if err != nil {
		return "", "", fmt.Errorf("asking Discord who that is: %w", WithoutAddress(err))
	}
	defer res.Body.Close()
	var user discordgo.User
	if res.StatusCode != http.StatusOK {
		return "", "", fmt.Errorf("asking Discord who that is: it answers %s", res.Status)
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxSelf)).Decode(&user); err != nil || user.ID == "" {
		return "", "", fmt.Errorf("asking Discord who that is: the answer names nobody")
	}
	return play.UserRef(Front, user.ID), memberName("", &user), nil
}

// explainRefusal describes the problem with the code or the configuration, without the content of Discord's
// response.
func explainRefusal(err error) error {
	var refused *oauth2.RetrieveError
	switch {
	case !errors.As(err, &refused):
		return WithoutAddress(err)
	case refused.ErrorCode == "invalid_client":
		return errors.New("discord.client_secret does not belong to the application; copy it from OAuth2 → Reset Secret at https://discord.com/developers/applications")
	}
	return fmt.Errorf("it refuses with status %d", refused.Response.StatusCode)
}

// configFor returns the OAuth2 configuration with the application's id and the redirect address.
func (a *Accounts) configFor(ctx context.Context, redirect string) (*oauth2.Config, error) {
	a.mu.Lock()
	app := a.app // age does not matter, because an application's id never changes
	a.mu.Unlock()
	if app == nil {
		var err error
		if app, _, err = a.application(ctx); err != nil {
			return nil, err
		}
	}
	o := a.oauth
	o.ClientID, o.RedirectURL = app.ID, redirect
	return &o, nil
}

// application returns the bot's application with its owner or team, at most leadsFor old, and when it was
// requested.
func (a *Accounts) application(ctx context.Context) (*discordgo.Application, time.Time, error) {
	a.mu.Lock()
	app, at := a.app, a.appAt
	a.mu.Unlock()
	if app != nil && time.Since(at) < leadsFor {
		return app, at, nil
	}
	app, at = &discordgo.Application{}, time.Now()
	if err := a.rest.Do(ctx, http.MethodGet, discordgo.EndpointApplication("@me"), "application", nil, app); err != nil {
		return nil, at, fmt.Errorf("asking Discord about the application: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.app, a.appAt = app, at
	return app, at, nil
}

// Leads reports whether a user leads the games of a guild. Answers about roles and about the application's
// owner and team are cached for a minute, or for ten while Discord does not respond; after that, Leads
// reports false. Concurrent calls about the same user and guild share one request. The request continues if
// its caller gives up, because otherwise a user who lost the right could keep a cached answer alive by
// hanging up.
func (a *Accounts) Leads(ctx context.Context, id, guild string) (bool, error) {
	user, ok := strings.CutPrefix(id, play.UserRef(Front, ""))
	if !ok {
		return false, nil
	}
	q := leadsQuery{user, guild}
	a.mu.Lock()
	last, asked := a.known[q]
	a.mu.Unlock()
	if asked && time.Since(last.at) < leadsFor {
		return last.leads, nil
	}
	now, err, _ := a.requests.Do(user+" "+guild, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), RestTimeout)
		defer cancel()
		return a.fetchLeads(ctx, q)
	})
	if err != nil {
		return asked && last.leads && time.Since(last.at) < leadsStale, err
	}
	return now.(bool), nil
}

// cacheAnswer caches an answer.
func (a *Accounts) cacheAnswer(q leadsQuery, said leadsAnswer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.makeRoom()
	a.known[q] = said
}

// makeRoom drops expired answers and, if the cache is still full, one more: preferably one that says no, then
// one of the user with the most answers, then the oldest. So a person who signs in with many accounts cannot
// evict the answers about a dungeon master. The caller must hold mu.
func (a *Accounts) makeRoom() {
	if len(a.known) < maxLeads {
		return
	}
	kept := map[string]int{}
	for q, one := range a.known {
		if time.Since(one.at) >= leadsStale {
			delete(a.known, q)
			continue
		}
		kept[q.user]++
	}
	if len(a.known) < maxLeads {
		return
	}
	var leaves leadsQuery
	found := false
	for q, one := range a.known {
		last := a.known[leaves]
		switch {
		case !found:
		case one.leads != last.leads:
			if one.leads {
				continue
			}
		case kept[q.user] != kept[leaves.user]:
			if kept[q.user] < kept[leaves.user] {
				continue
			}
		case !one.at.Before(last.at):
			continue
		}
		leaves, found = q, true
	}
	delete(a.known, leaves)
}

// fetchLeads asks Discord and caches the answer with the age of its oldest input.
func (a *Accounts) fetchLeads(ctx context.Context, q leadsQuery) (leads bool, err error) {
	app, at, err := a.application(ctx)
	if err != nil {
		return false, err
	}
	if leads = owns(app, q.user); !leads {
		if leads, err = a.fetchRoles(ctx, q); err != nil {
			return false, err
		}
	}
	a.cacheAnswer(q, leadsAnswer{leads, at})
	return leads, nil
}

// fetchRoles asks Discord whether a user has a DM's role in a guild.
func (a *Accounts) fetchRoles(ctx context.Context, q leadsQuery) (bool, error) {
	if a.guild != "" && q.guild != a.guild || !isID(q.guild) {
		return false, nil
	}
	m, err := a.rest.Member(ctx, q.guild, q.user)
	switch code := ErrorCode(err); {
	case code == discordgo.ErrCodeUnknownMember, code == discordgo.ErrCodeUnknownGuild, code == discordgo.ErrCodeUnknownUser, code == discordgo.ErrCodeMissingAccess:
		return false, nil // the user or the bot is not in the guild
	case err != nil:
		return false, fmt.Errorf("asking Discord for a member: %w", err)
	}
	g := &discordgo.Guild{}
	if err := a.rest.Do(ctx, http.MethodGet, discordgo.EndpointGuild(q.guild), discordgo.EndpointGuild(q.guild), nil, g); err != nil {
		return false, fmt.Errorf("asking Discord for a server: %w", err)
	}
	return a.dms.lead(g, m), nil
}

// lead reports whether a member is a DM in a guild, like [dmRoles.isDM] does for the sender of a command.
func (d dmRoles) lead(g *discordgo.Guild, m *discordgo.Member) bool {
	if len(d) == 0 && g.OwnerID == m.User.ID {
		return true
	}
	for _, r := range g.Roles {
		switch {
		case r.ID != g.ID && !slices.Contains(m.Roles, r.ID): // the member lacks this role; everyone has the role whose id is the guild's
		case len(d) == 0 && r.Permissions&(discordgo.PermissionAdministrator|discordgo.PermissionManageGuild) != 0, d.includes(*r):
			return true
		}
	}
	return false
}

// owns reports whether a user owns an application, or has joined the team that does.
func owns(app *discordgo.Application, user string) bool {
	if app.Team == nil {
		return app.Owner != nil && app.Owner.ID == user
	}
	return slices.ContainsFunc(app.Team.Members, func(m *discordgo.TeamMember) bool {
		return m.User != nil && m.User.ID == user && m.MembershipState == discordgo.MembershipStateAccepted
	})
}

// isID reports whether s has the form of a Discord id.
func isID(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

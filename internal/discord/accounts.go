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

// For how long what Discord said of who leads a game is believed: without asking again,
// and while Discord cannot be asked.
const (
	leadsFor   = time.Minute
	leadsStale = 10 * time.Minute
	maxLeads   = 1024 // answers kept
)

// maxSelf bounds what Discord may say of an account.
const maxSelf = 64 << 10

// Accounts lets people sign in elsewhere with their account on Discord, and says which
// guilds' games it leads: by the roles that make a DM, and all of them if the application is
// theirs. It is safe for concurrent use and starts no goroutine. Tokens of accounts are
// used once and not kept.
type Accounts struct {
	oauth  oauth2.Config // without the client's id
	client *http.Client
	rest   *RestClient
	guild  string // the only one, if not empty
	dms    dmRoles

	asking singleflight.Group // whether a user leads games in a guild

	mu    sync.Mutex // guards the fields below
	app   *discordgo.Application
	appAt time.Time // when Discord was asked for app
	known map[leading]answerOfDiscord
}

// leading is the question whether a user leads games in a guild.
type leading struct{ user, guild string }

type answerOfDiscord struct {
	leads bool
	at    time.Time
}

// NewAccounts returns the accounts of the Discord that cfg names. Its client secret must be
// set. If dial is nil, connections are the usual ones.
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
		client: session.Client, rest: NewRestClient(session), guild: cfg.Guild, dms: cfg.DMRoles, known: map[leading]answerOfDiscord{},
	}, nil
}

// Service is what people know it as.
func (a *Accounts) Service() string { return "Discord" }

// SignInURL is where Discord asks somebody whether we may know who they are.
func (a *Accounts) SignInURL(ctx context.Context, redirect, state, verifier string) (string, error) {
	o, err := a.configFor(ctx, redirect)
	if err != nil {
		return "", err
	}
	return o.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("prompt", "none")), nil
}

// Account trades a code for the user whose it is, whose id is that of records, see
// [play.UserRef].
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

// explainRefusal says what is wrong with a code or with us, without what Discord's answer has.
func explainRefusal(err error) error {
	var refused *oauth2.RetrieveError
	switch {
	case !errors.As(err, &refused):
		return WithoutAddress(err)
	case refused.ErrorCode == "invalid_client":
		return errors.New("discord.client_secret is not the application's; copy it from OAuth2 → Reset Secret at https://discord.com/developers/applications")
	}
	return fmt.Errorf("it refuses with status %d", refused.Response.StatusCode)
}

// configFor is the OAuth2 client as Discord knows it.
func (a *Accounts) configFor(ctx context.Context, redirect string) (*oauth2.Config, error) {
	a.mu.Lock()
	app := a.app // however old it is: its id never changes
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

// application is ours, with its owner or team as they were at a time not longer ago than
// leadsFor.
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

// Leads reports whether a user leads the games of a guild. What Discord said, of roles and of
// the application's owner and team alike, is believed for a minute, and for ten if Discord does
// not answer; then nobody leads anything. One question at a time is asked about a user and a
// guild, and it goes on if its caller gives up: whoever lost the right could otherwise prolong it
// by hanging up.
func (a *Accounts) Leads(ctx context.Context, id, guild string) (bool, error) {
	user, ok := strings.CutPrefix(id, play.UserRef(Front, ""))
	if !ok {
		return false, nil
	}
	q := leading{user, guild}
	a.mu.Lock()
	last, asked := a.known[q]
	a.mu.Unlock()
	if asked && time.Since(last.at) < leadsFor {
		return last.leads, nil
	}
	now, err, _ := a.asking.Do(user+" "+guild, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), RestTimeout)
		defer cancel()
		return a.askLeads(ctx, q)
	})
	if err != nil {
		return asked && last.leads && time.Since(last.at) < leadsStale, err
	}
	return now.(bool), nil
}

// keep keeps what Discord said.
func (a *Accounts) keep(q leading, said answerOfDiscord) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.makeRoom()
	a.known[q] = said
}

// makeRoom drops answers that are too old to be believed, and if need be one more: of a user
// about whom most is kept, the oldest, and first one that says no. Whoever signs in with many
// accounts does not have what is known of a dungeon master forgotten. It is called with mu held.
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
	var leaves leading
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

// askLeads asks Discord and keeps the answer, which is as old as the oldest thing it was made of.
func (a *Accounts) askLeads(ctx context.Context, q leading) (leads bool, err error) {
	app, at, err := a.application(ctx)
	if err != nil {
		return false, err
	}
	if leads = owns(app, q.user); !leads {
		if leads, err = a.askRoles(ctx, q); err != nil {
			return false, err
		}
	}
	a.keep(q, answerOfDiscord{leads, at})
	return leads, nil
}

// askRoles asks Discord whether a user has a DM's role in a guild.
func (a *Accounts) askRoles(ctx context.Context, q leading) (bool, error) {
	if a.guild != "" && q.guild != a.guild || !isID(q.guild) {
		return false, nil
	}
	m, err := a.rest.Member(ctx, q.guild, q.user)
	switch code := ErrorCode(err); {
	case code == discordgo.ErrCodeUnknownMember, code == discordgo.ErrCodeUnknownGuild, code == discordgo.ErrCodeUnknownUser, code == discordgo.ErrCodeMissingAccess:
		return false, nil // the user is not in it, or the bot is not
	case err != nil:
		return false, fmt.Errorf("asking Discord for a member: %w", err)
	}
	g := &discordgo.Guild{}
	if err := a.rest.Do(ctx, http.MethodGet, discordgo.EndpointGuild(q.guild), discordgo.EndpointGuild(q.guild), nil, g); err != nil {
		return false, fmt.Errorf("asking Discord for a server: %w", err)
	}
	return a.dms.lead(g, m), nil
}

// lead reports whether a member is a DM in a guild, as [dmRoles.isDM] does of who gave a
// command.
func (d dmRoles) lead(g *discordgo.Guild, m *discordgo.Member) bool {
	if len(d) == 0 && g.OwnerID == m.User.ID {
		return true
	}
	for _, r := range g.Roles {
		switch {
		case r.ID != g.ID && !slices.Contains(m.Roles, r.ID): // not the member's; everybody has the first
		case len(d) == 0 && r.Permissions&(discordgo.PermissionAdministrator|discordgo.PermissionManageGuild) != 0, d.includes(*r):
			return true
		}
	}
	return false
}

// owns reports whether an application is a user's, or a team's of which they are.
func owns(app *discordgo.Application, user string) bool {
	if app.Team == nil {
		return app.Owner != nil && app.Owner.ID == user
	}
	return slices.ContainsFunc(app.Team.Members, func(m *discordgo.TeamMember) bool {
		return m.User != nil && m.User.ID == user && m.MembershipState == discordgo.MembershipStateAccepted
	})
}

// isID reports whether a text is an id of Discord's.
func isID(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

package discord

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/MrWong99/glyphoxa/internal/config"
)

// Application flags that grant access to message content: verified applications have the first, those in few
// servers the second.
const (
	flagMessageContent        = 1 << 18
	flagMessageContentLimited = 1 << 19
)

// ErrShape reports that a configured token does not have the form of a bot token.
var ErrShape = errors.New("discord.token is not a bot token, which has three parts with dots between them; copy the whole token from Bot → Reset Token at https://discord.com/developers/applications")

// Identity describes a bot.
type Identity struct {
	Name string
	// Invite is the address for adding the bot to a server.
	Invite string
	// Servers is the number of servers the bot is in, and Troubles lists the problems found in the first
	// maxChecked of them.
	Servers  int
	Troubles []Trouble
}

// Trouble is a problem in a server and how to fix it.
type Trouble struct{ What, Fix string }

// maxChecked bounds the servers that Check examines.
const maxChecked = 20

// inviteAddress returns the address for adding an application's bot to a server.
func inviteAddress(app string) string {
	return fmt.Sprintf("https://discord.com/oauth2/authorize?client_id=%s&scope=bot%%20applications.commands&permissions=%d", app, int64(permissions))
}

// Check asks Discord about the bot without connecting to the gateway. Its errors say what to do: [ErrShape],
// [ErrToken], [ErrIntents], or a connection error.
func Check(ctx context.Context, cfg config.Discord) (Identity, error) {
	if !tokenShape(cfg.Token.Reveal()) {
		return Identity{}, ErrShape
	}
	session, err := NewRestSession(cfg.Token.Reveal(), cfg.APIURL, nil)
	if err != nil {
		return Identity{}, err
	}
	client := NewRestClient(session)
	var self struct {
		Username string `json:"username"`
	}
	if err := client.Do(ctx, http.MethodGet, discordgo.EndpointUser("@me"), "self", nil, &self); err != nil {
		return Identity{}, fmt.Errorf("asking who the bot is: %w", err)
	}
	var app struct {
		ID    string `json:"id"`
		Flags int    `json:"flags"`
	}
	if err := client.Do(ctx, http.MethodGet, discordgo.EndpointApplication("@me"), "application", nil, &app); err != nil {
		return Identity{}, fmt.Errorf("asking what the bot may do: %w", err)
	}
	if app.Flags&(flagMessageContent|flagMessageContentLimited) == 0 {
		return Identity{}, ErrIntents
	}
	who := Identity{Name: self.Username, Invite: inviteAddress(app.ID)}
	return who, checkServers(ctx, client, cfg, &who)
}

// server is a guild in the bot's list of guilds.
type server struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Permissions are the bot's, before overwrites of single channels.
	Permissions int64 `json:"permissions,string"`
}

// checkServers checks the bot's permissions and the DM roles in its servers.
func checkServers(ctx context.Context, client *RestClient, cfg config.Discord, who *Identity) error {
	var all []server
	address := discordgo.EndpointUserGuilds("@me")
	if err := client.Do(ctx, http.MethodGet, address, address, nil, &all); err != nil {
		return fmt.Errorf("asking in which servers the bot is: %w", err)
	}
	if cfg.Guild != "" {
		all = slices.DeleteFunc(all, func(s server) bool { return s.ID != cfg.Guild })
		if len(all) == 0 {
			who.Troubles = append(who.Troubles, Trouble{"the bot is not in the server of discord.guild", "invite it, or correct the id"})
		}
	}
	who.Servers = len(all)
	for _, s := range all[:min(len(all), maxChecked)] {
		if names := missingPermissions(s.Permissions); len(names) > 0 {
			who.Troubles = append(who.Troubles, Trouble{fmt.Sprintf("in %s, the bot does not have the permissions %s", s.Name, strings.Join(names, ", ")), "open the invitation again, or give the permissions to its role"})
		}
		found, err := hasDMRole(ctx, client, cfg.DMRoles, s.ID)
		if err != nil {
			return fmt.Errorf("asking for the roles of %s: %w", s.Name, err)
		}
		if !found {
			who.Troubles = append(who.Troubles, Trouble{fmt.Sprintf("in %s, there is no role %s, so nobody is a DM there", s.Name, strings.Join(cfg.DMRoles, " or ")), "create it, or correct discord.dm_roles"})
		}
	}
	return nil
}

// hasDMRole reports whether a guild has one of the DM roles, or none are configured.
func hasDMRole(ctx context.Context, client *RestClient, dms dmRoles, guild string) (bool, error) {
	if len(dms) == 0 {
		return true, nil
	}
	var roles []discordgo.Role
	address := discordgo.EndpointGuildRoles(guild)
	if err := client.Do(ctx, http.MethodGet, address, address, nil, &roles); err != nil {
		return false, err
	}
	return slices.ContainsFunc(roles, dms.includes), nil
}

// tokenShape reports whether a text looks like a bot token: three parts; the first encodes the bot's id.
func tokenShape(token string) bool {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || parts[1] == "" || parts[2] == "" {
		return false
	}
	id, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[0], "="))
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(string(id), 10, 64)
	return err == nil
}

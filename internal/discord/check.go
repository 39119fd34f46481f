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

// Flags of an application that may read what players write: verified ones have
// the first, those in few servers the second.
const (
	flagMessageContent        = 1 << 18
	flagMessageContentLimited = 1 << 19
)

// ErrShape says that a token cannot be one.
var ErrShape = errors.New("discord.token is no bot token: those have three parts with dots between them; copy it whole from Bot → Reset Token at https://discord.com/developers/applications")

// Identity is who a bot is.
type Identity struct {
	Name string
	// Invite is the address where somebody lets the bot into a server.
	Invite string
	// Servers is how many it is in, and Troubles what keeps it from playing well in
	// the first of them.
	Servers  int
	Troubles []Trouble
}

// Trouble is what keeps a bot from playing well somewhere, and what to do.
type Trouble struct{ What, Fix string }

// maxChecked is how many servers Check looks at.
const maxChecked = 20

// inviteAddress is where somebody lets an application's bot into a server.
func inviteAddress(app string) string {
	return fmt.Sprintf("https://discord.com/oauth2/authorize?client_id=%s&scope=bot%%20applications.commands&permissions=%d", app, int64(permissions))
}

// Check asks Discord about the bot, without connecting it, and returns who it is. An
// error says what to do: it is [ErrShape], [ErrToken], [ErrIntents], or about the
// way to Discord.
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

// server is a guild as the bot's own list has it.
type server struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Permissions are the bot's, before what single channels change.
	Permissions int64 `json:"permissions,string"`
}

// checkServers looks at what the bot may do where it is, and for the DMs' roles.
func checkServers(ctx context.Context, client *RestClient, cfg config.Discord, who *Identity) error {
	var all []server
	address := discordgo.EndpointUserGuilds("@me")
	if err := client.Do(ctx, http.MethodGet, address, address, nil, &all); err != nil {
		return fmt.Errorf("asking in which servers the bot is: %w", err)
	}
	if cfg.Guild != "" {
		all = slices.DeleteFunc(all, func(s server) bool { return s.ID != cfg.Guild })
		if len(all) == 0 {
			who.Troubles = append(who.Troubles, Trouble{"the bot is not in the server of discord.guild", "let it in, or correct the id"})
		}
	}
	who.Servers = len(all)
	for _, s := range all[:min(len(all), maxChecked)] {
		if names := missingPermissions(s.Permissions); len(names) > 0 {
			who.Troubles = append(who.Troubles, Trouble{fmt.Sprintf("in %s the bot lacks %s", s.Name, strings.Join(names, ", ")), "open the invitation once more, or give that to its role"})
		}
		found, err := hasDMRole(ctx, client, cfg.DMRoles, s.ID)
		if err != nil {
			return fmt.Errorf("asking for the roles of %s: %w", s.Name, err)
		}
		if !found {
			who.Troubles = append(who.Troubles, Trouble{fmt.Sprintf("in %s there is no role %s, so nobody is a DM there", s.Name, strings.Join(cfg.DMRoles, " or ")), "make one, or correct discord.dm_roles"})
		}
	}
	return nil
}

// hasDMRole reports whether a guild has one of the DMs' roles, if any are named.
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

// tokenShape reports whether a text looks like a bot token: the first of its
// three parts is the bot's id.
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

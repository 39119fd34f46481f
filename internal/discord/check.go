package discord

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
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

// Permissions the bot needs where it plays: View Channel, Send Messages, Send
// Messages in Threads, Embed Links, Read Message History and Manage Webhooks.
const permissions = discordgo.PermissionViewChannel | discordgo.PermissionSendMessages | discordgo.PermissionSendMessagesInThreads |
	discordgo.PermissionEmbedLinks | discordgo.PermissionReadMessageHistory | discordgo.PermissionManageWebhooks

// Identity is who a bot is.
type Identity struct {
	Name string
	// Invite is the address where somebody lets the bot into a server.
	Invite string
}

// invite is where somebody lets an application's bot into a server.
func invite(app string) string {
	return fmt.Sprintf("https://discord.com/oauth2/authorize?client_id=%s&scope=bot%%20applications.commands&permissions=%d", app, int64(permissions))
}

// Check asks Discord about the bot, without connecting it, and returns who it is. An
// error says what to do: it is [ErrShape], [ErrToken], [ErrIntents], or about the
// way to Discord.
func Check(ctx context.Context, cfg config.Discord) (Identity, error) {
	if !tokenShape(cfg.Token.Reveal()) {
		return Identity{}, ErrShape
	}
	b, err := New(cfg, nil, nil)
	if err != nil {
		return Identity{}, err
	}
	var self struct {
		Username string `json:"username"`
	}
	if err := b.api.send(ctx, http.MethodGet, discordgo.EndpointUser("@me"), "self", nil, &self); err != nil {
		return Identity{}, fmt.Errorf("asking who the bot is: %w", err)
	}
	var app struct {
		ID    string `json:"id"`
		Flags int    `json:"flags"`
	}
	if err := b.api.send(ctx, http.MethodGet, discordgo.EndpointApplication("@me"), "application", nil, &app); err != nil {
		return Identity{}, fmt.Errorf("asking what the bot may do: %w", err)
	}
	if app.Flags&(flagMessageContent|flagMessageContentLimited) == 0 {
		return Identity{}, ErrIntents
	}
	return Identity{self.Username, invite(app.ID)}, nil
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

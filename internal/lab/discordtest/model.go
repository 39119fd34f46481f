package discordtest

import (
	"encoding/json"
	"time"
)

// A User is an account.
type User struct {
	ID            string  `json:"id"`
	Username      string  `json:"username"`
	Discriminator string  `json:"discriminator"`
	GlobalName    *string `json:"global_name"`
	Avatar        *string `json:"avatar"`
	Bot           bool    `json:"bot,omitempty"`
}

// A Member is a user in a guild.
type Member struct {
	User        *User        `json:"user,omitempty"`
	Nick        *string      `json:"nick"`
	Avatar      *string      `json:"avatar"`
	Roles       []string     `json:"roles"`
	JoinedAt    time.Time    `json:"joined_at"`
	Deaf        bool         `json:"deaf"`
	Mute        bool         `json:"mute"`
	Flags       int          `json:"flags"`
	Pending     bool         `json:"pending"`
	Permissions *Permissions `json:"permissions,omitempty"` // in interactions
}

// A Role grants permissions to its members.
type Role struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	Color       int         `json:"color"`
	Colors      RoleColors  `json:"colors"`
	Hoist       bool        `json:"hoist"`
	Position    int         `json:"position"`
	Permissions Permissions `json:"permissions"`
	Managed     bool        `json:"managed"`
	Mentionable bool        `json:"mentionable"`
	Flags       int         `json:"flags"`
}

// RoleColors are the colours of a role's gradient; nil means none.
type RoleColors struct {
	Primary   int  `json:"primary_color"`
	Secondary *int `json:"secondary_color"`
	Tertiary  *int `json:"tertiary_color"`
}

// The kinds of overwrites.
const (
	overwriteRole   = 0
	overwriteMember = 1
)

// An Overwrite changes permissions in a channel for a role or a member.
type Overwrite struct {
	ID    string      `json:"id"`
	Type  int         `json:"type"`
	Allow Permissions `json:"allow"`
	Deny  Permissions `json:"deny"`
}

// The types of channels that the server supports.
const (
	channelText    = 0
	channelDM      = 1
	channelVoice   = 2
	threadPublic   = 11
	threadPrivate  = 12
	channelStage   = 13
	maxMessages    = 10000 // beyond this a channel drops its oldest messages
	maxChannelName = 100
)

type channel struct {
	ID            string          `json:"id"`
	Type          int             `json:"type"`
	GuildID       string          `json:"guild_id,omitempty"`
	Name          string          `json:"name,omitempty"`
	Position      int             `json:"position"`
	ParentID      string          `json:"parent_id,omitempty"`
	OwnerID       string          `json:"owner_id,omitempty"`
	LastMessageID *string         `json:"last_message_id"`
	Overwrites    []Overwrite     `json:"permission_overwrites,omitempty"`
	Recipients    []*User         `json:"recipients,omitempty"`
	Thread        *threadMetadata `json:"thread_metadata,omitempty"`
	MessageCount  int             `json:"message_count,omitempty"`
	MemberCount   int             `json:"member_count,omitempty"`
	Bitrate       int             `json:"bitrate,omitempty"`    // of voice channels
	UserLimit     int             `json:"user_limit,omitempty"` // 0: none

	messages []*Message
	typing   []Typing
}

func (c *channel) isThread() bool { return c.Type == threadPublic || c.Type == threadPrivate }

type threadMetadata struct {
	Archived            bool      `json:"archived"`
	AutoArchiveDuration int       `json:"auto_archive_duration"`
	ArchiveTimestamp    time.Time `json:"archive_timestamp"`
	Locked              bool      `json:"locked"`
}

// Typing is one typing indicator.
type Typing struct {
	UserID string
	At     time.Time
}

type guild struct {
	ID              string  `json:"id"`
	Name            string  `json:"name"`
	OwnerID         string  `json:"owner_id"`
	Roles           []*Role `json:"roles"`
	Emojis          []any   `json:"emojis"`
	Features        []any   `json:"features"`
	PreferredLocale string  `json:"preferred_locale"`
	NSFWLevel       int     `json:"nsfw_level"`

	joinedAt time.Time
	members  map[string]*Member
	voice    map[string]*voiceState // by user
	botIn    bool
	down     bool // an outage: the guild is unavailable to the bot
}

type voiceState struct {
	GuildID   string  `json:"guild_id"`
	ChannelID *string `json:"channel_id"`
	UserID    string  `json:"user_id"`
	Member    *Member `json:"member,omitempty"`
	SessionID string  `json:"session_id"`
	Deaf      bool    `json:"deaf"`
	Mute      bool    `json:"mute"`
	SelfDeaf  bool    `json:"self_deaf"`
	SelfMute  bool    `json:"self_mute"`
	SelfVideo bool    `json:"self_video"`
	Suppress  bool    `json:"suppress"`
	RequestAt *string `json:"request_to_speak_timestamp"`
}

// MessageReference names the message that a reply answers.
type MessageReference struct {
	Type            int    `json:"type,omitempty"`
	MessageID       string `json:"message_id,omitempty"`
	ChannelID       string `json:"channel_id,omitempty"`
	GuildID         string `json:"guild_id,omitempty"`
	FailIfNotExists *bool  `json:"fail_if_not_exists,omitempty"`
}

// An Attachment is a file of a message. URL serves it.
type Attachment struct {
	ID          string `json:"id"`
	Filename    string `json:"filename"`
	Description string `json:"description,omitempty"`
	ContentType string `json:"content_type,omitempty"`
	Size        int    `json:"size"`
	URL         string `json:"url"`
	ProxyURL    string `json:"proxy_url"`
	Ephemeral   bool   `json:"ephemeral,omitempty"`
}

// The message flags that the server supports.
const (
	FlagSuppressEmbeds = 1 << 2
	FlagEphemeral      = 1 << 6
	FlagLoading        = 1 << 7
	flagSilent         = 1 << 12
)

// The types of messages.
const (
	messageDefault = 0
	messageReply   = 19
	messageCommand = 20
)

// A Message is a message in a channel, or the answer to an interaction.
type Message struct {
	ID              string            `json:"id"`
	ChannelID       string            `json:"channel_id"`
	Type            int               `json:"type"`
	Author          *User             `json:"author"`
	Content         string            `json:"content"`
	Timestamp       time.Time         `json:"timestamp"`
	EditedTimestamp *time.Time        `json:"edited_timestamp"`
	TTS             bool              `json:"tts"`
	MentionEveryone bool              `json:"mention_everyone"`
	Mentions        []*User           `json:"mentions"`      // notified users
	MentionRoles    []string          `json:"mention_roles"` // notified roles
	Attachments     []Attachment      `json:"attachments"`
	Embeds          []Embed           `json:"embeds"`
	Components      []Component       `json:"components"`
	Pinned          bool              `json:"pinned"`
	Flags           int               `json:"flags"`
	WebhookID       string            `json:"webhook_id,omitempty"`
	ApplicationID   string            `json:"application_id,omitempty"`
	Nonce           json.RawMessage   `json:"nonce,omitempty"`
	Reference       *MessageReference `json:"message_reference,omitempty"`
	Referenced      *Message          `json:"referenced_message,omitempty"`
	Interaction     map[string]any    `json:"interaction_metadata,omitempty"`

	// AvatarURL is the avatar requested for a webhook's message.
	AvatarURL string `json:"-"`
	// Deleted messages stay in the list.
	Deleted bool `json:"-"`
	// Versions are the contents before each edit.
	Versions []string `json:"-"`
}

// Ephemeral reports whether only one user sees the message.
func (m *Message) Ephemeral() bool { return m.Flags&FlagEphemeral != 0 }

// Loading reports whether the message is a placeholder for an answer.
func (m *Message) Loading() bool { return m.Flags&FlagLoading != 0 }

// copy returns a message that later changes do not affect.
func (m *Message) copy() Message {
	c := *m
	c.Versions = append([]string(nil), m.Versions...)
	return c
}

// A Component is an interactive part of a message or modal.
type Component struct {
	Type        int            `json:"type"`
	ID          int            `json:"id,omitempty"`
	CustomID    string         `json:"custom_id,omitempty"`
	Style       int            `json:"style,omitempty"`
	Label       string         `json:"label,omitempty"`
	Emoji       map[string]any `json:"emoji,omitempty"`
	URL         string         `json:"url,omitempty"`
	Disabled    bool           `json:"disabled,omitempty"`
	Placeholder string         `json:"placeholder,omitempty"`
	Value       string         `json:"value,omitempty"`
	Required    *bool          `json:"required,omitempty"`
	MinLength   *int           `json:"min_length,omitempty"`
	MaxLength   int            `json:"max_length,omitempty"`
	MinValues   *int           `json:"min_values,omitempty"`
	MaxValues   int            `json:"max_values,omitempty"`
	Options     []SelectOption `json:"options,omitempty"`
	Components  []Component    `json:"components,omitempty"`
}

// A SelectOption is one choice of a select menu.
type SelectOption struct {
	Label       string         `json:"label"`
	Value       string         `json:"value"`
	Description string         `json:"description,omitempty"`
	Default     bool           `json:"default,omitempty"`
	Emoji       map[string]any `json:"emoji,omitempty"`
}

package config

// Server configures the MCP server for outside clients.
type Server struct {
	// Listen is the address of the network transports. Default "127.0.0.1:8787".
	Listen string `yaml:"listen" json:"listen" format:"address" doc:"Address the server listens on, as host:port."`
	// Naming is "plain" or "prefixed".
	Naming string `yaml:"naming" json:"naming" enum:"plain|prefixed" doc:"plain names tools as they are; prefixed calls them skill:NAME and workflow:NAME."`
	// ReadOnly hides and refuses tools that change something. The environment variable READ_ONLY_MODE=true
	// has the same effect.
	ReadOnly bool `yaml:"read_only" json:"read_only" doc:"Offer only tools that change nothing."`
	// AllowedOrigins lists the web origins whose pages may connect, such as "https://table.example". The
	// server's own origin is always allowed.
	AllowedOrigins []string `yaml:"allowed_origins" json:"allowed_origins" format:"origin" doc:"Web pages that may connect, as scheme://host."`
	// AllowedHosts lists the host names by which clients may address the server, in addition to its own
	// address and localhost.
	AllowedHosts []string `yaml:"allowed_hosts" json:"allowed_hosts" format:"host" doc:"Host names the server answers to, beside its own address."`
	// TrustedProxies lists the addresses and networks of reverse proxies whose X-Forwarded-For or Forwarded
	// headers are trusted to name the client. If empty, these headers are ignored.
	TrustedProxies []string `yaml:"trusted_proxies" json:"trusted_proxies" format:"network" doc:"Reverse proxies that are believed when they say for whom they ask, as addresses or networks."`
	// Clients lists the programs that may connect with a token.
	Clients []Client `yaml:"clients" json:"clients" doc:"Programs that may connect, each with a token of its own."`
	// OAuth, if set, makes the server accept access tokens of an authorization server.
	OAuth *OAuth `yaml:"oauth" json:"oauth" doc:"Accept access tokens of an authorization server."`
	// Profiles adds permission profiles to the built-in ones, by name.
	Profiles map[string]Profile `yaml:"profiles" json:"profiles" doc:"Your own permission profiles, by name."`
	// Policy lists the rules that every call from outside or by an NPC must pass. The first rule that denies
	// a call decides.
	Policy []Rule `yaml:"policy" json:"policy" doc:"Rules for calls; the first that denies wins."`
	// Limits limit the use by a single client.
	Limits Limits `yaml:"limits" json:"limits" doc:"How much one client may ask for."`
	// Mask lists additional patterns to remove from error messages of external servers. Passwords, keys,
	// tokens and paths are always removed.
	Mask []string `yaml:"mask" json:"mask" doc:"Regular expressions of what nobody is to read in the failures of external servers, beside passwords, keys, tokens and paths of this machine."`
	// FirstList is how long, after startup, a list request waits for external servers that have not been
	// tried yet. Default 2s.
	FirstList Duration `yaml:"first_list" json:"first_list" min:"0s" max:"1m" doc:"How long after the start a client's list of tools waits for external servers."`
	// Workflows is the directory of workflow files. It is absolute after loading, unless the configuration is
	// a built-in one. Default "workflows".
	Workflows string `yaml:"workflows" json:"workflows" format:"path" doc:"Directory with one YAML file per workflow."`
	Audit     Audit  `yaml:"audit" json:"audit" doc:"The record of who called what."`
}

// Client is a program that may connect with a token.
type Client struct {
	Name string `yaml:"name" json:"name" required:"true" max:"64" doc:"Name the client has in rules and records."`
	// Token is the bearer token, and TokenHash its SHA-256 hash as "sha256:HEX". Exactly one of them must be
	// set.
	Token     Secret `yaml:"token" json:"token" doc:"Its token, best taken from the environment."`
	TokenHash string `yaml:"token_hash" json:"token_hash" doc:"SHA-256 of its token, as glyphoxa mcp token prints it."`
	// Profile is the permission profile of the client.
	Profile string `yaml:"profile" json:"profile" required:"true" doc:"What it may do: system.readonly, reviewer, player.limited, player.full, npc.agent, builder.readWrite, dm, or one of your own."`
	// NPC is the NPC whose view of the world the client has, if not empty.
	NPC string `yaml:"npc" json:"npc" doc:"Id of the NPC with whose eyes it sees the world."`
}

// OAuth makes the server an OAuth resource server that accepts access tokens (RFC 9068, RFC 9728).
type OAuth struct {
	Issuer string `yaml:"issuer" json:"issuer" required:"true" format:"url" doc:"Address of the authorization server, as in the tokens' iss."`
	// JWKS is the URL of the issuer's keys. If empty, it is taken from the issuer's metadata.
	JWKS     string `yaml:"jwks_url" json:"jwks_url" format:"url" doc:"Address of its keys; found by itself if missing."`
	Audience string `yaml:"audience" json:"audience" required:"true" doc:"What the tokens' aud must name: the address of this server."`
	// Profile applies to tokens whose scopes map to no profile.
	Profile string `yaml:"profile" json:"profile" doc:"Profile of those whose scopes name none; without it they are refused."`
	// Scopes maps scopes to profiles.
	Scopes map[string]string `yaml:"scopes" json:"scopes" doc:"Profile by scope."`
}

// What the holders of a profile can see of the world.
const (
	SeesAll    = "all"
	SeesCommon = "common"
)

// Profile is a list of permissions.
type Profile struct {
	Permissions []string `yaml:"permissions" json:"permissions" required:"true" doc:"What holders may do, such as dice.roll or world.read."`
	// Sees is [SeesAll] or [SeesCommon]. Default SeesCommon.
	Sees string `yaml:"sees" json:"sees" enum:"all|common" doc:"common hides what only some NPCs know; all shows it."`
}

// Kinds of policy rules.
const (
	RuleRateLimit          = "rate_limit"
	RuleTimeWindow         = "time_window"
	RuleToolRestriction    = "tool_restriction"
	RulePermissionOverride = "permission_override"
	RuleApproval           = "approval"
)

// Rule is one policy rule. Kind determines which fields apply.
type Rule struct {
	Name string `yaml:"name" json:"name" required:"true" max:"64" doc:"Name the rule has in messages and records."`
	Kind string `yaml:"rule" json:"rule" required:"true" enum:"rate_limit|time_window|tool_restriction|permission_override|approval" doc:"What the rule does."`
	// Who lists globs for caller names: a client's name, or "npc:ID". If empty, the rule applies to all
	// callers except the operator.
	Who []string `yaml:"who" json:"who" doc:"Whom it is for, such as claude or npc:*; everybody if missing."`
	// Tools lists globs for registered tool names. If empty, the rule applies to every tool.
	Tools []string `yaml:"tools" json:"tools" doc:"Tools it is for, such as write_* ; all if missing."`
	// Calls is the maximum number of calls within Window that a rate limit allows, per caller and tool.
	Calls  int      `yaml:"calls" json:"calls" min:"1" max:"10000" doc:"rate_limit: most calls within the window."`
	Window Duration `yaml:"window" json:"window" min:"1ms" max:"24h" doc:"rate_limit: length of the window."`
	// From and To are the times of day between which a time window allows calls, as HH:MM in Zone. The window
	// may extend past midnight. Days restricts it to certain weekdays.
	From string   `yaml:"from" json:"from" format:"clock" doc:"time_window: when calls are allowed from, as 18:00."`
	To   string   `yaml:"to" json:"to" format:"clock" doc:"time_window: until when, as 01:30; may be past midnight."`
	Days []string `yaml:"days" json:"days" enum:"mon|tue|wed|thu|fri|sat|sun" doc:"time_window: days on which it begins; all if missing."`
	Zone string   `yaml:"zone" json:"zone" doc:"time_window: time zone, such as Europe/Berlin; UTC if missing."`
	// Grant adds permissions and Revoke removes them, until Until.
	Grant  []string `yaml:"grant" json:"grant" doc:"permission_override: permissions added."`
	Revoke []string `yaml:"revoke" json:"revoke" doc:"permission_override: permissions taken away."`
	Until  string   `yaml:"until" json:"until" format:"time" doc:"permission_override: when it ends, as 2027-01-31T20:00:00Z; never if missing."`
	// Expires is how long a call can wait for approval. Zero means ten minutes. Wait is how long the caller
	// is kept waiting before being told that the call needs approval. Zero means not at all.
	Expires Duration `yaml:"expires" json:"expires" min:"1s" max:"24h" doc:"approval: how long a call may wait for approval; 10m if missing."`
	Wait    Duration `yaml:"wait" json:"wait" min:"0s" max:"5m" doc:"approval: how long the caller waits before it is told that the call is pending."`
}

// Limits limit the use by a single client.
type Limits struct {
	// Burst and PerSecond configure a client's token bucket. Defaults 100 and 10.
	Burst     int     `yaml:"burst" json:"burst" min:"1" max:"1000000" doc:"Calls a client may make at once."`
	PerSecond float64 `yaml:"per_second" json:"per_second" doc:"Calls a second it may make after that."`
	// Body is the maximum size of a request, in bytes. Default 4 MiB.
	Body int64 `yaml:"body" json:"body" min:"1024" max:"67108864" doc:"Largest request in bytes."`
	// Sessions is the maximum number of open sessions. Default 1000.
	Sessions int `yaml:"sessions" json:"sessions" min:"1" max:"100000" doc:"Most sessions open at once."`
}

// Audit configures the audit log of who called what.
type Audit struct {
	// Arguments stores the arguments themselves in addition to their hash.
	Arguments bool `yaml:"arguments" json:"arguments" doc:"Keep what tools were called with, not only its hash."`
	// Keep is how long records are kept. Default 90 days.
	Keep Duration `yaml:"keep" json:"keep" min:"1h" doc:"How long records are kept."`
	// MaxSize is the maximum size of the file, in bytes. The oldest records are deleted first. Default 1 GiB.
	MaxSize int64 `yaml:"max_size" json:"max_size" min:"8388608" max:"1099511627776" doc:"Largest size of its file in bytes; beyond it the oldest records go."`
}

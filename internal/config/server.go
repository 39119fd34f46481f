package config

// Server configures the MCP server for outside clients.
type Server struct {
	// Listen is the address of the network transports. Default "127.0.0.1:8787".
	Listen string `yaml:"listen" json:"listen" format:"address" doc:"Address the server listens on, as host:port."`
	// Naming is "plain" or "prefixed".
	Naming string `yaml:"naming" json:"naming" enum:"plain|prefixed" doc:"plain names tools as they are; prefixed calls them skill:NAME and workflow:NAME."`
	// ReadOnly hides and refuses tools that change something. The environment variable READ_ONLY_MODE=true
	// has the same effect.
	ReadOnly bool `yaml:"read_only" json:"read_only" doc:"Whether to offer only tools that change nothing."`
	// AllowedOrigins lists the web origins whose pages may connect, such as "https://table.example". The
	// server's own origin is always allowed.
	AllowedOrigins []string `yaml:"allowed_origins" json:"allowed_origins" format:"origin" doc:"Web pages that may connect, as scheme://host."`
	// AllowedHosts lists the host names by which clients may address the server, in addition to its own
	// address and localhost.
	AllowedHosts []string `yaml:"allowed_hosts" json:"allowed_hosts" format:"host" doc:"Further host names of the server, in addition to its address."`
	// TrustedProxies lists the addresses and networks of reverse proxies whose X-Forwarded-For or Forwarded
	// headers are trusted to name the client. If empty, these headers are ignored.
	TrustedProxies []string `yaml:"trusted_proxies" json:"trusted_proxies" format:"network" doc:"Reverse proxies whose headers about the client's address are trusted, as addresses or networks."`
	// Clients lists the programs that may connect with a token.
	Clients []Client `yaml:"clients" json:"clients" doc:"Programs that may connect, each with its own token."`
	// OAuth, if set, makes the server accept access tokens of an authorization server.
	OAuth *OAuth `yaml:"oauth" json:"oauth" doc:"An authorization server whose access tokens are accepted."`
	// Profiles adds permission profiles to the built-in ones, by name.
	Profiles map[string]Profile `yaml:"profiles" json:"profiles" doc:"Your own permission profiles, by name."`
	// Policy lists the rules that every call from outside or by an NPC must pass. The first rule that denies
	// a call decides.
	Policy []Rule `yaml:"policy" json:"policy" doc:"Rules for calls. The first rule that denies a call wins."`
	// Limits limit the use by a single client.
	Limits Limits `yaml:"limits" json:"limits" doc:"Limits for each client."`
	// Mask lists additional patterns to remove from error messages of external servers. Passwords, keys,
	// tokens and paths are always removed.
	Mask []string `yaml:"mask" json:"mask" doc:"Regular expressions for text to remove from error messages of external servers, in addition to passwords, keys, tokens and paths of this machine."`
	// FirstList is how long, after startup, a list request waits for external servers that have not been
	// tried yet. Default 2s.
	FirstList Duration `yaml:"first_list" json:"first_list" min:"0s" max:"1m" doc:"How long after the start a list of tools waits for external servers."`
	// Workflows is the directory of workflow files. It is absolute after loading, unless the configuration is
	// a built-in one. Default "workflows".
	Workflows string `yaml:"workflows" json:"workflows" format:"path" doc:"Directory with one YAML file per workflow."`
	Audit     Audit  `yaml:"audit" json:"audit" doc:"The audit log, which records who called which tool."`
}

// Client is a program that may connect with a token.
type Client struct {
	Name string `yaml:"name" json:"name" required:"true" max:"64" doc:"Name of the client in rules and in the audit log."`
	// Token is the bearer token, and TokenHash its SHA-256 hash as "sha256:HEX". Exactly one of them must be
	// set.
	Token     Secret `yaml:"token" json:"token" doc:"Its token, best taken from the environment."`
	TokenHash string `yaml:"token_hash" json:"token_hash" doc:"SHA-256 of its token, as glyphoxa mcp token prints it."`
	// Profile is the permission profile of the client.
	Profile string `yaml:"profile" json:"profile" required:"true" doc:"What it may do: system.readonly, reviewer, player.limited, player.full, npc.agent, builder.readWrite, dm, or one of your own."`
	// NPC is the NPC whose view of the world the client has, if not empty.
	NPC string `yaml:"npc" json:"npc" doc:"ID of the NPC whose knowledge of the world the client sees."`
}

// OAuth makes the server an OAuth resource server that accepts access tokens (RFC 9068, RFC 9728).
type OAuth struct {
	Issuer string `yaml:"issuer" json:"issuer" required:"true" format:"url" doc:"Address of the authorization server, as in the tokens' iss."`
	// JWKS is the URL of the issuer's keys. If empty, it is taken from the issuer's metadata.
	JWKS     string `yaml:"jwks_url" json:"jwks_url" format:"url" doc:"Address of its keys. If missing, Glyphoxa finds it through issuer."`
	Audience string `yaml:"audience" json:"audience" required:"true" doc:"What the tokens' aud must name: the address of this server."`
	// Profile applies to tokens whose scopes map to no profile.
	Profile string `yaml:"profile" json:"profile" doc:"Profile for tokens without a listed scope. If missing, they are refused."`
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
	Permissions []string `yaml:"permissions" json:"permissions" required:"true" doc:"Permissions of the profile, such as dice.roll or world.read."`
	// Sees is [SeesAll] or [SeesCommon]. Default SeesCommon.
	Sees string `yaml:"sees" json:"sees" enum:"all|common" doc:"common hides what only some NPCs know, and all shows it."`
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
	Name string `yaml:"name" json:"name" required:"true" max:"64" doc:"Name of the rule in messages and in the audit log."`
	Kind string `yaml:"rule" json:"rule" required:"true" enum:"rate_limit|time_window|tool_restriction|permission_override|approval" doc:"Kind of the rule."`
	// Who lists globs for caller names: a client's name, or "npc:ID". If empty, the rule applies to all
	// callers except the operator.
	Who []string `yaml:"who" json:"who" doc:"Callers to which the rule applies, such as claude or npc:*. If missing, it applies to all."`
	// Tools lists globs for registered tool names. If empty, the rule applies to every tool.
	Tools []string `yaml:"tools" json:"tools" doc:"Tools to which the rule applies, such as write_*. If missing, it applies to all."`
	// Calls is the maximum number of calls within Window that a rate limit allows, per caller and tool.
	Calls  int      `yaml:"calls" json:"calls" min:"1" max:"10000" doc:"rate_limit: maximum number of calls within the window."`
	Window Duration `yaml:"window" json:"window" min:"1ms" max:"24h" doc:"rate_limit: length of the window."`
	// From and To are the times of day between which a time window allows calls, as HH:MM in Zone. The window
	// may extend past midnight. Days restricts it to certain weekdays.
	From string   `yaml:"from" json:"from" format:"clock" doc:"time_window: start of the time when calls are allowed, such as 18:00."`
	To   string   `yaml:"to" json:"to" format:"clock" doc:"time_window: end of that time, such as 01:30. It may be past midnight."`
	Days []string `yaml:"days" json:"days" enum:"mon|tue|wed|thu|fri|sat|sun" doc:"time_window: days on which it begins. If missing, every day."`
	Zone string   `yaml:"zone" json:"zone" doc:"time_window: time zone, such as Europe/Berlin. If missing, UTC."`
	// Grant adds permissions and Revoke removes them, until Until.
	Grant  []string `yaml:"grant" json:"grant" doc:"permission_override: permissions to add."`
	Revoke []string `yaml:"revoke" json:"revoke" doc:"permission_override: permissions to remove."`
	Until  string   `yaml:"until" json:"until" format:"time" doc:"permission_override: when it ends, such as 2027-01-31T20:00:00Z. If missing, never."`
	// Expires is how long a call can wait for approval. Zero means ten minutes. Wait is how long the caller
	// is kept waiting before being told that the call needs approval. Zero means not at all.
	Expires Duration `yaml:"expires" json:"expires" min:"1s" max:"24h" doc:"approval: how long a call may wait for approval. If missing, 10m."`
	Wait    Duration `yaml:"wait" json:"wait" min:"0s" max:"5m" doc:"approval: how long the caller waits before it learns that the call needs approval."`
}

// Limits limit the use by a single client.
type Limits struct {
	// Burst and PerSecond configure a client's token bucket. Defaults 100 and 10.
	Burst     int     `yaml:"burst" json:"burst" min:"1" max:"1000000" doc:"Number of calls that a client may make at once."`
	PerSecond float64 `yaml:"per_second" json:"per_second" doc:"Number of calls per second that it may make after that."`
	// Body is the maximum size of a request, in bytes. Default 4 MiB.
	Body int64 `yaml:"body" json:"body" min:"1024" max:"67108864" doc:"Largest request in bytes."`
	// Sessions is the maximum number of open sessions. Default 1000.
	Sessions int `yaml:"sessions" json:"sessions" min:"1" max:"100000" doc:"Maximum number of open sessions."`
}

// Audit configures the audit log of who called what.
type Audit struct {
	// Arguments stores the arguments themselves in addition to their hash.
	Arguments bool `yaml:"arguments" json:"arguments" doc:"Whether to record the arguments of calls, instead of only their hash."`
	// Keep is how long records are kept. Default 90 days.
	Keep Duration `yaml:"keep" json:"keep" min:"1h" doc:"How long records are kept."`
	// MaxSize is the maximum size of the file, in bytes. The oldest records are deleted first. Default 1 GiB.
	MaxSize int64 `yaml:"max_size" json:"max_size" min:"8388608" max:"1099511627776" doc:"Maximum size of its file in bytes. Beyond it, the oldest records are deleted."`
}

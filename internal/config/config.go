// Package config reads glyphoxa.yaml and the NPC files next to it.
//
//	cfg, err := config.Load("glyphoxa.yaml", nil)
//
// [Load] is strict. It reports all problems at once, each with file and line, the error and a valid example.
// It expands ${VAR} and ${VAR:-default}. Nothing in this package uses the network.
//
// The struct tags of the types are the only definition of a key, as described in package userfile. [Load]
// enforces them and [Schema] publishes them.
package config

import (
	"io/fs"

	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/provider/llm"
	"github.com/MrWong99/glyphoxa/pkg/provider/tts"
)

// Config is the complete configuration, validated and with all defaults filled in.
type Config struct {
	// DataDir is absolute after loading.
	DataDir string `yaml:"data_dir" json:"data_dir" format:"path" doc:"Directory for the database and for the files that NPCs may read and write."`
	// Language lists BCP 47 tags, with the main language first.
	Language  []string   `yaml:"languages" json:"languages" format:"language" doc:"Languages spoken at the table, the main one first, such as en or de."`
	Campaign  Campaign   `yaml:"campaign" json:"campaign" doc:"The campaign that the table plays."`
	NPCs      []NPC      `yaml:"npcs" json:"npcs" doc:"NPCs defined in this file, in addition to those in npcs_dir."`
	NPCsDir   string     `yaml:"npcs_dir" json:"npcs_dir" format:"path" doc:"Directory with one YAML file per NPC."`
	RulesDirs []RulesDir `yaml:"rules_dirs" json:"rules_dirs" doc:"Rule systems other than dnd5e, each in its own directory."`
	Providers Providers  `yaml:"providers" json:"providers" doc:"The services for language models, speech recognition, voices and search."`
	// Cascade applies to every NPC that does not override it.
	Cascade Cascade    `yaml:"cascade" json:"cascade" doc:"When NPCs open with a sentence from a fast model while a strong model thinks, and the two models."`
	MCP     MCP        `yaml:"mcp" json:"mcp" doc:"External tools."`
	Tools   ToolConfig `yaml:"tools" json:"tools" doc:"Settings of the built-in tools."`
	Hearing Hearing    `yaml:"hearing" json:"hearing" doc:"How Glyphoxa hears players who speak."`
	Voice   Speaking   `yaml:"voice" json:"voice" doc:"How all NPCs speak."`
	Memory  Memory     `yaml:"memory" json:"memory" doc:"What NPCs remember."`
	Table   Table      `yaml:"table" json:"table" doc:"How NPCs at the table decide which lines are for them."`
	Latency Latency    `yaml:"latency" json:"latency" doc:"How long an answer may take."`
	Cost    Cost       `yaml:"cost" json:"cost" doc:"Limits for the cost of a session, and the providers' prices."`
	Server  Server     `yaml:"server" json:"server" doc:"The MCP server that offers Glyphoxa's tools to outside agents."`
	Discord Discord    `yaml:"discord" json:"discord" doc:"The Discord bot. Without a token, it stays off."`
	Browser Browser    `yaml:"browser" json:"browser" doc:"The table in browsers: players join by a link, and speak or type."`
	Tracing Tracing    `yaml:"tracing" json:"tracing" doc:"Where to send traces of turns and calls. Without an endpoint, there are no traces."`

	// File is the path of the configuration file, or [BuiltIn].
	File string `yaml:"-" json:"-"`
	// Source holds the files that a built-in configuration refers to, such as Campaign.World. It is nil if
	// the configuration was read from disk, in which case those paths are absolute.
	Source fs.FS `yaml:"-" json:"-"`
	// SecretLines holds the lines of each NPC's SecretKnowledge, by NPC id.
	SecretLines map[string][]int `yaml:"-" json:"-"`
	// Warnings are oddities that do not prevent the configuration from working.
	Warnings []userfile.Problem `yaml:"-" json:"-"`
	// Idle lists settings that have no effect yet, and says what happens instead.
	Idle []userfile.Problem `yaml:"-" json:"-"`
	// ServerTools holds the warnings about tools that only an external server can offer, with the name of the
	// tool. Whether a server offers it is known only after connecting.
	ServerTools map[userfile.Problem]string `yaml:"-" json:"-"`
}

// Campaign describes the campaign that the table plays.
type Campaign struct {
	Name string `yaml:"name" json:"name" doc:"Name of the campaign."`
	// System is the rule system, such as "dnd5e".
	System string `yaml:"system" json:"system" doc:"Rule system of the campaign: dnd5e, or one of rules_dirs."`
	// World is the path of the campaign file with entities and relations. See [Config.ReadWorld].
	World string `yaml:"world" json:"world" format:"path" doc:"Campaign file with the people, places, factions and items of the world."`
	// Scene describes the situation at the start of a session.
	Scene string `yaml:"scene" json:"scene" doc:"The situation when a session starts."`
}

// Engines through which an NPC can speak.
const (
	EngineCascaded        = "cascaded"
	EngineS2S             = "s2s"
	EngineSentenceCascade = "sentence_cascade"
)

// NPC is one character.
type NPC struct {
	// ID is derived from the name with [Slug] if it is not set.
	ID      string   `yaml:"id" json:"id" format:"id" doc:"Short unique id in lower case; made from the name if missing."`
	Name    string   `yaml:"name" json:"name" required:"true" max:"100" doc:"Name by which players call the NPC."`
	Aliases []string `yaml:"aliases" json:"aliases" doc:"Other names the NPC answers to."`
	// Role describes the NPC to those who do not know its name.
	Role string `yaml:"role" json:"role" max:"100" doc:"Trade or title by which players can call the NPC without its name, such as innkeeper or captain of the watch."`
	// Interruptibility says how the NPC reacts when a player talks over it.
	Interruptibility Interruptibility `yaml:"interruptibility" json:"interruptibility" doc:"What the NPC does when a player talks over it."`
	// Place is where the NPC usually is, named as in scenes and in the world.
	Place string `yaml:"place" json:"place" max:"100" doc:"Where the NPC usually is, named as in scenes and in the world."`
	// AddressOnly NPCs answer only when addressed by name.
	AddressOnly bool `yaml:"address_only" json:"address_only" doc:"Whether the NPC answers only when it is called by name."`
	// Personality describes the NPC in prose.
	Personality string `yaml:"personality" json:"personality" doc:"Who the NPC is, in your own words."`
	// Engine is one of the Engine constants.
	Engine string `yaml:"engine" json:"engine" enum:"cascaded|s2s|sentence_cascade" doc:"How the NPC thinks and speaks: cascaded (hear, think, speak), sentence_cascade (a fast opener while a stronger model thinks) or s2s (one speech-to-speech model)."`
	// Cascade is completed from the configuration's Cascade. See [NPC.CascadeMode].
	Cascade Cascade `yaml:"cascade" json:"cascade" doc:"When this NPC opens with a sentence from a fast model while a strong model thinks. Missing keys are taken from the top-level cascade."`
	// BudgetTier is the highest tier that the NPC may use.
	BudgetTier mcp.BudgetTier `yaml:"budget_tier" json:"budget_tier" enum:"fast|standard|deep" doc:"The slowest tier that the NPC may reach: fast, standard or deep."`
	// Rules is the rule system in which the NPC looks things up. If empty, it is the campaign's.
	Rules string `yaml:"rules" json:"rules" doc:"Rule system in which the NPC looks things up. If missing, the campaign's."`
	// Tools lists the tools that the NPC may use. If empty, it may use none.
	Tools []string `yaml:"tools" json:"tools" doc:"Tools that the NPC may use. If missing, none."`
	// MayChange lists those of Tools with which the NPC may change its own things without asking. See
	// docs/npcs.md.
	MayChange []string `yaml:"may_change" json:"may_change" doc:"Tools from the list under tools with which the NPC may change its own things (itself, its belongings, its notes) without asking you. It proposes all other changes to you."`
	// BehaviorRules are instructions that the NPC always follows.
	BehaviorRules []string `yaml:"behavior_rules" json:"behavior_rules" doc:"Rules that the NPC always follows."`
	// SecretKnowledge is what the NPC knows but does not tell.
	SecretKnowledge []KeptSecret `yaml:"secret_knowledge" json:"secret_knowledge" doc:"Secrets that the NPC knows and does not tell: each is a text, or a secret with reveal_when."`
	// Knows lists the groups that the NPC belongs to. It shares their knowledge.
	Knows []string `yaml:"knows" json:"knows" doc:"Groups of the campaign that the NPC belongs to, such as village or watch. The NPC knows everything that is visible to its groups."`
	// Senses are the senses that the NPC lacks.
	Senses Senses `yaml:"senses" json:"senses" doc:"Whether the NPC can hear and see."`
	// KnowledgeScope lists the subjects that the NPC is knowledgeable about.
	KnowledgeScope []string  `yaml:"knowledge_scope" json:"knowledge_scope" doc:"Subjects that the NPC knows well."`
	Voice          tts.Voice `yaml:"voice" json:"voice" doc:"The NPC's voice."`
	// Avatar is the URL of the NPC's picture in chats, if it has one.
	Avatar string `yaml:"avatar" json:"avatar" format:"url" doc:"Address of a picture to show beside the NPC's lines on Discord."`
	// Lines holds stock phrases by occasion: greeting, filler, answer, roll, unknown, refusal, smalltalk,
	// farewell.
	Lines map[string][]string `yaml:"lines" json:"lines" keys:"greeting|filler|answer|roll|recall|unknown|refusal|smalltalk|farewell" doc:"Stock phrases by occasion: greeting, filler, answer, roll, recall, unknown, refusal, smalltalk, farewell."`
	// Topics are subjects for which the NPC has prepared lines, in each of its languages.
	Topics []llm.Topic `yaml:"topics" json:"topics" doc:"Subjects with prepared lines: the words by which players ask about each, and what the NPC says."`

	// File and Line say where the NPC is defined.
	File string `yaml:"-" json:"-"`
	Line int    `yaml:"-" json:"-" line:"true"`
}

// Senses says which senses an NPC lacks.
type Senses struct {
	Deaf  bool `yaml:"deaf" json:"deaf" doc:"Whether the NPC is deaf and hears no lines. A whisper reaches it as a written note."`
	Blind bool `yaml:"blind" json:"blind" doc:"Whether the NPC is blind: it does not know what things look like, where they are, or who is present without speaking."`
}

// KeptSecret is something that an NPC does not tell.
type KeptSecret struct {
	Text string `yaml:"secret" json:"secret" short:"true" required:"true" doc:"The secret, which the NPC does not tell."`
	// RevealWhen lists words that unlock the secret. Once a player says one of them to the NPC, the NPC may
	// tell the secret for the rest of the session.
	RevealWhen []string `yaml:"reveal_when" json:"reveal_when" doc:"Words or phrases. When a player says one of them to the NPC, it may tell the secret for the rest of the session."`
}

// UnmarshalYAML lets decoders other than [Load] accept a plain text as a secret too.
func (s *KeptSecret) UnmarshalYAML(decode func(any) error) error {
	if decode(&s.Text) == nil {
		return nil
	}
	type plain KeptSecret
	return decode((*plain)(s))
}

// Secrets returns the texts of the NPC's secrets.
func (n *NPC) Secrets() []string {
	var all []string
	for _, s := range n.SecretKnowledge {
		all = append(all, s.Text)
	}
	return all
}

// Styles of Interruptibility.
const (
	StyleYields           = "yields"
	StyleFinishesSentence = "finishes_sentence"
	StyleInsists          = "insists"
)

// Interruptibility says how an NPC reacts to a barge-in.
type Interruptibility struct {
	// Style is one of the Style constants. Default yields.
	Style string `yaml:"style" json:"style" enum:"yields|finishes_sentence|insists" doc:"What the NPC does when a player talks over it: yields (stops at once), finishes_sentence, or insists (stops only when told to stop or called by name)."`
	// Confirm is how long a player must speak before it counts as an interruption, unless words are
	// recognised earlier. Default 500ms.
	Confirm Duration `yaml:"confirm" json:"confirm" min:"20ms" max:"5s" doc:"How long a player must talk over the NPC to interrupt it, unless words are recognised earlier. After 200 ms, the NPC speaks more softly."`
	// Resumes says whether the NPC resumes its sentence after something that turned out not to be an
	// interruption. Default true.
	Resumes bool `yaml:"resumes" json:"resumes" doc:"Whether the NPC continues after a cough or a sound such as mhm."`
}

// ToolConfig configures built-in tools.
type ToolConfig struct {
	// Floors overrides the declared floors of tools, by tool name.
	Floors map[string]mcp.BudgetTier `yaml:"floors" json:"floors" enum:"fast|standard|deep" doc:"Fastest tier in which each tool may be offered."`
	// Tables adds or replaces random tables for roll_table, by name.
	Tables map[string]RandomTable `yaml:"tables" json:"tables" doc:"Your own random tables for roll_table, by name."`
	// FileQuota is the maximum size of the file sandbox, in bytes. Default 64 MiB.
	FileQuota int64 `yaml:"file_quota" json:"file_quota" min:"0" doc:"Maximum total size in bytes of the files that NPCs write."`
}

// RandomTable is a table for roll_table. All entries are equally likely.
type RandomTable struct {
	Description string   `yaml:"description" json:"description" doc:"Purpose of the table."`
	Entries     []string `yaml:"entries" json:"entries" required:"true" doc:"The possible results, all equally likely."`
}

// Values of memory.store.
const (
	StoreSQLite   = "sqlite"
	StorePostgres = "postgres"
)

// Memory configures what NPCs remember.
type Memory struct {
	// Store says where memory is stored. Default sqlite.
	Store string `yaml:"store" json:"store" enum:"sqlite|postgres" doc:"Where memory is stored: sqlite (a file on this machine) or postgres (a PostgreSQL server)."`
	// DSN is the connection string for postgres, with server, user and database.
	DSN Secret `yaml:"dsn" json:"dsn" doc:"Connection string of the PostgreSQL server, best taken from the environment."`
	// Schema separates the data of several users of one database, such as the campaigns of different guilds.
	// If empty, the schema of the connection string is used. It cannot be set in a file.
	Schema string `yaml:"-" json:"-"`
	// Path is the path of the database file, absolute after loading. Default DataDir/glyphoxa.db.
	Path string `yaml:"path" json:"path" format:"path" doc:"Database file. If missing, glyphoxa.db in data_dir."`
	// RecentLines is the maximum number of lines of the session that an NPC keeps in mind. Default 20.
	RecentLines int `yaml:"recent_lines" json:"recent_lines" min:"0" max:"1000" doc:"Maximum number of the table's latest lines that an NPC remembers. Fast and standard turns use fewer."`
	// History is the maximum number of its own turns that an NPC keeps verbatim. Default 12.
	History int `yaml:"history" json:"history" min:"0" max:"1000" doc:"Maximum number of its own turns that an NPC remembers word for word."`
	// Learn says what happens to things from a session that are worth keeping. Default [LearnReview].
	Learn string `yaml:"learn" json:"learn" enum:"off|review|accept" doc:"How NPCs learn a session's promises, debts and news: off (not at all), review (the DM decides with /memory) or accept (NPCs who heard them know them at once)."`
	// Digest says how a session is searched for such things. Default [DigestPhrases].
	Digest string `yaml:"digest" json:"digest" enum:"phrases|model" doc:"How sessions are searched for these: phrases (lists of phrases) or model (the model of providers.llm, which you pay for). Each proposal of the model is checked against the lines that it cites."`
}

// Values of memory.digest.
const (
	DigestPhrases = "phrases"
	DigestModel   = "model"
)

// Values of memory.learn.
const (
	LearnOff    = "off"
	LearnReview = "review"
	LearnAccept = "accept"
)

// Duration is a time.Duration that is written as "500ms" or "5m". Only 0 needs no unit.
type Duration = userfile.Duration

// PerTier holds one value for each tier.
type PerTier[T any] struct {
	Fast     T `yaml:"fast" json:"fast" inherit:"true" doc:"Value for quick talk."`
	Standard T `yaml:"standard" json:"standard" inherit:"true" doc:"Value for questions about the past or the rules."`
	Deep     T `yaml:"deep" json:"deep" inherit:"true" doc:"Value for careful thought."`
}

// Get returns the value for t.
func (p PerTier[T]) Get(t mcp.BudgetTier) T {
	switch t {
	case mcp.BudgetFast:
		return p.Fast
	case mcp.BudgetStandard:
		return p.Standard
	}
	return p.Deep
}

// Latency holds the latency budgets.
type Latency struct {
	// Ceilings limit one round of parallel tool calls. Default 500/1500/4000 ms.
	Ceilings PerTier[Duration] `yaml:"ceilings" json:"ceilings" min:"1ms" max:"10m" doc:"Longest time for one round of tools."`
	// Rounds is the maximum number of tool rounds in a turn. Default 1/2/4.
	Rounds PerTier[int] `yaml:"rounds" json:"rounds" min:"0" max:"20" doc:"How often an NPC may use tools before it must answer."`
	// Targets limit the time to the first audio. Default 1200/2200/5000 ms.
	Targets PerTier[Duration] `yaml:"targets" json:"targets" min:"1ms" max:"10m" doc:"Time within which the NPC should start to speak."`
	// ModelTimeout limits the wait for the next piece of a model's answer. Default 15s.
	ModelTimeout Duration `yaml:"model_timeout" json:"model_timeout" min:"1ms" max:"1h" doc:"Longest wait for the next piece of a model's answer."`
	// S2SSilence is how long a speech-to-speech model may be silent before the cascaded engine answers
	// instead. Default 3s.
	S2SSilence Duration `yaml:"s2s_silence" json:"s2s_silence" min:"100ms" max:"1m" doc:"Longest silence of a speech-to-speech model before the cascaded engine answers instead."`
	// TurnTimeout limits a whole turn. Default 60s.
	TurnTimeout Duration `yaml:"turn_timeout" json:"turn_timeout" min:"1ms" max:"1h" doc:"Longest time for a whole turn."`
	// MinDeepInterval is the minimum interval between DEEP turns of an NPC. Turns that the DM asks for start
	// the interval too. Default 30s.
	MinDeepInterval Duration `yaml:"min_deep_interval" json:"min_deep_interval" min:"0s" doc:"Shortest time between two deep turns of an NPC. A deep turn requested by the DM also starts it, but never waits for it."`
	// Policy lists, in order, what to do if the first audio would come too late. Default all steps.
	Policy []string `yaml:"policy" json:"policy" enum:"lower_tier|opener|fallback|filler" doc:"What to do if the first sound would be late, in order: lower_tier (use fewer tools), opener (begin with a stock phrase), fallback (ask the faster model), filler (say a stock phrase when the time is nearly up)."`
	// Preemptive says what may begin before the player has finished speaking. It is one of the Preempt
	// constants; empty means PreemptOff. Default PreemptVoice.
	Preemptive Preemption `yaml:"preemptive" json:"preemptive" enum:"off|model|voice" doc:"What starts before it is certain that the player has finished: off (nothing), model (the model), or voice (also the voice with the first sentence, which is played only when the words are confirmed). Costs more requests. Older files say true for voice and false for off."`
	// FirstClause makes audio start after the first clause of an answer if the model writes slowly and the
	// voice can speak a single clause. Default true.
	FirstClause bool `yaml:"first_clause" json:"first_clause" doc:"Whether an NPC speaks the first clause of its answer while the model still writes the sentence, if the voice supports it."`
	// DeepKeywords and StandardKeywords replace the built-in lists, unless empty.
	DeepKeywords     []string `yaml:"deep_keywords" json:"deep_keywords" doc:"Words that ask for a deep answer. They replace the built-in list."`
	StandardKeywords []string `yaml:"standard_keywords" json:"standard_keywords" doc:"Words that ask for a standard answer. They replace the built-in list."`
	// Continuation is how long a line without a name goes to the NPC that spoke last. Default 30s.
	Continuation Duration `yaml:"continuation" json:"continuation" min:"0s" doc:"How long lines without a name go to the NPC that spoke last."`
	// Lease is how long a DM's raise of the tier lasts unless the DM says otherwise. Default 5m.
	Lease Duration `yaml:"lease" json:"lease" min:"1s" max:"24h" doc:"How long a raise by the DM lasts."`
	// LeaseTurns is the maximum number of turns that it lasts. Default 10.
	LeaseTurns int `yaml:"lease_turns" json:"lease_turns" min:"1" max:"1000" doc:"Maximum number of turns that a raise by the DM lasts."`
}

// Methods of telling voice from noise.
const (
	DetectionAuto   = "auto"
	DetectionSilero = "silero"
	DetectionEnergy = "energy"
	DetectionWebRTC = "webrtc"
)

// Detections returns all methods.
func Detections() []string {
	return []string{DetectionAuto, DetectionSilero, DetectionEnergy, DetectionWebRTC}
}

// Hearing configures how players are heard.
type Hearing struct {
	// Detection is one of the Detection constants. Default auto.
	Detection string `yaml:"detection" json:"detection" enum:"auto|silero|energy|webrtc" doc:"How to tell voice from noise: silero (a trained model that music and machines do not fool; needs onnxruntime), energy (by loudness and pitch; needs nothing), auto (silero if onnxruntime is found, else energy) or webrtc (hears whispers, but takes coughs and clatter for voice; needs a system library)."`
	// ONNXRuntime is the path of the onnxruntime library, absolute after loading. If empty, Glyphoxa searches
	// for it.
	ONNXRuntime string `yaml:"onnxruntime" json:"onnxruntime" format:"path" doc:"File of onnxruntime's library, which silero needs. If missing, Glyphoxa searches where make onnx puts it, beside the program, and in the system's library directories."`
	// EarlyFinals is the maximum number of times that the transcript of an utterance is requested before its
	// end is certain. 0 means never. Default 3.
	EarlyFinals int `yaml:"early_finals" json:"early_finals" min:"0" max:"10" doc:"How often the final transcript of an utterance is requested as soon as the voice stops, before it is certain that the player has finished; 0 for never. This makes answers faster, but a request is wasted if the player goes on."`
}

// Speaking configures how NPCs speak.
type Speaking struct {
	// MaxSpeech limits the length of an answer, which is cut at the end of a sentence. 0 means no limit.
	// Default 45s.
	MaxSpeech Duration `yaml:"max_speech" json:"max_speech" min:"0s" max:"10m" doc:"How long an NPC may speak before it is cut off at the end of a sentence; 0s for no limit."`
	// Normalise is one of the Normalise constants. Default auto.
	Normalise string `yaml:"normalise" json:"normalise" enum:"auto|always|never" doc:"Which text is put into words for the voice. always: everything; never: nothing; auto leaves numbers, dates and abbreviations to voices that read them correctly, but not dice, units and values such as AC."`
}

// Which text is spelt out in words before it goes to a voice.
const (
	NormaliseAuto   = "auto"   // text that the voice does not read correctly
	NormaliseAlways = "always" // everything
	NormaliseNever  = "never"  // nothing
)

// Discord configures the bot.
type Discord struct {
	Token Secret `yaml:"token" json:"token" doc:"Bot token from the Discord developer portal."`
	Guild string `yaml:"guild" json:"guild" format:"number" doc:"ID of your Discord server, a long number."`
	// DMRoles lists the roles that may use DM commands, by name or id. If empty, it is everyone who may
	// manage the Discord server.
	DMRoles []string `yaml:"dm_roles" json:"dm_roles" doc:"Discord roles that may use the dungeon master's commands, by name or ID. If missing, members who may manage the server."`
	// ClientSecret is the application's client secret. DMs need it to sign in to the console with their
	// Discord account. If empty, signing in is off.
	ClientSecret Secret `yaml:"client_secret" json:"client_secret" doc:"OAuth2 client secret from the Discord developer portal. With it, DMs can sign in to the console with their Discord account."`
	// APIURL is the base URL of Discord's REST API, without a version. If empty, it is Discord's own.
	APIURL string `yaml:"api_url" json:"api_url" format:"url" doc:"Another address for Discord's API, for tests and proxies."`
	// VoiceCA is a PEM file of certificates to trust for voice connections, in addition to the system's.
	VoiceCA string `yaml:"voice_ca" json:"voice_ca" doc:"PEM file with certificates to trust for voice connections in addition to the system's, for tests and proxies."`
}

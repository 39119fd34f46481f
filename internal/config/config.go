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
	DataDir string `yaml:"data_dir" json:"data_dir" format:"path" doc:"Directory for the database and for the files NPCs may read and write."`
	// Language lists BCP 47 tags, with the main language first.
	Language  []string   `yaml:"languages" json:"languages" format:"language" doc:"Languages spoken at the table, the main one first, such as en or de."`
	Campaign  Campaign   `yaml:"campaign" json:"campaign" doc:"The world the table plays in."`
	NPCs      []NPC      `yaml:"npcs" json:"npcs" doc:"NPCs defined right here; those in npcs_dir are added to them."`
	NPCsDir   string     `yaml:"npcs_dir" json:"npcs_dir" format:"path" doc:"Directory with one YAML file per NPC."`
	RulesDirs []RulesDir `yaml:"rules_dirs" json:"rules_dirs" doc:"Rules of other systems than dnd5e, each in a directory of its own."`
	Providers Providers  `yaml:"providers" json:"providers" doc:"Who thinks, listens and speaks for the NPCs."`
	// Cascade applies to every NPC that does not override it.
	Cascade Cascade    `yaml:"cascade" json:"cascade" doc:"When NPCs open with a sentence of a fast model while a strong one thinks, and which models those are."`
	MCP     MCP        `yaml:"mcp" json:"mcp" doc:"External tools."`
	Tools   ToolConfig `yaml:"tools" json:"tools" doc:"Settings of the built-in tools."`
	Hearing Hearing    `yaml:"hearing" json:"hearing" doc:"How players who speak are heard."`
	Voice   Speaking   `yaml:"voice" json:"voice" doc:"How NPCs speak, all of them."`
	Memory  Memory     `yaml:"memory" json:"memory" doc:"What NPCs remember."`
	Table   Table      `yaml:"table" json:"table" doc:"How the table goes."`
	Latency Latency    `yaml:"latency" json:"latency" doc:"How long an answer may take."`
	Cost    Cost       `yaml:"cost" json:"cost" doc:"What a session may cost, and what the providers take."`
	Server  Server     `yaml:"server" json:"server" doc:"The MCP server that offers Glyphoxa's tools to outside agents."`
	Discord Discord    `yaml:"discord" json:"discord" doc:"The Discord bot. Without a token it stays off."`
	Browser Browser    `yaml:"browser" json:"browser" doc:"The table in browsers: players join by a link, and speak or type."`
	Tracing Tracing    `yaml:"tracing" json:"tracing" doc:"Where traces of turns and calls go. Without an endpoint there are none."`

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
	System string `yaml:"system" json:"system" doc:"Rule system in which things are looked up: dnd5e, or one of rules_dirs."`
	// World is the path of the campaign file with entities and relations. See [Config.ReadWorld].
	World string `yaml:"world" json:"world" format:"path" doc:"Campaign file with the people, places, factions and items of the world."`
	// Scene describes the situation at the start of a session.
	Scene string `yaml:"scene" json:"scene" doc:"What is going on when a session starts."`
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
	Name    string   `yaml:"name" json:"name" required:"true" max:"100" doc:"Name the players call the NPC by."`
	Aliases []string `yaml:"aliases" json:"aliases" doc:"Other names the NPC answers to."`
	// Role describes the NPC to those who do not know its name.
	Role string `yaml:"role" json:"role" max:"100" doc:"What the NPC is to those who do not know its name, and are heard to call it by: innkeeper, captain of the watch."`
	// Interruptibility says how the NPC reacts when a player talks over it.
	Interruptibility Interruptibility `yaml:"interruptibility" json:"interruptibility" doc:"How the NPC takes it when a player talks over it."`
	// Place is where the NPC usually is, named as in scenes and in the world.
	Place string `yaml:"place" json:"place" max:"100" doc:"Where the NPC usually is, by the name that scenes and the world give the place."`
	// AddressOnly NPCs answer only when addressed by name.
	AddressOnly bool `yaml:"address_only" json:"address_only" doc:"Whether the NPC answers only when it is called by name."`
	// Personality describes the NPC in prose.
	Personality string `yaml:"personality" json:"personality" doc:"Who the NPC is, in your own words."`
	// Engine is one of the Engine constants.
	Engine string `yaml:"engine" json:"engine" enum:"cascaded|s2s|sentence_cascade" doc:"How the NPC thinks and speaks: cascaded (hear, think, speak), sentence_cascade (a fast opener while a stronger model thinks) or s2s (one speech-to-speech model)."`
	// Cascade is completed from the configuration's Cascade. See [NPC.CascadeMode].
	Cascade Cascade `yaml:"cascade" json:"cascade" doc:"When this NPC opens with a sentence of a fast model while a strong one thinks; what is missing is taken from the key of the same name at the top."`
	// BudgetTier is the highest tier that the NPC may use.
	BudgetTier mcp.BudgetTier `yaml:"budget_tier" json:"budget_tier" enum:"fast|standard|deep" doc:"The most time the NPC may take: fast, standard or deep."`
	// Rules is the rule system in which the NPC looks things up. If empty, it is the campaign's.
	Rules string `yaml:"rules" json:"rules" doc:"Rule system in which the NPC looks things up; the campaign's if missing."`
	// Tools lists the tools that the NPC may use. If empty, it may use none.
	Tools []string `yaml:"tools" json:"tools" doc:"Tools the NPC may use; none if missing."`
	// MayChange lists those of Tools with which the NPC may change its own things without asking. See
	// docs/npcs.md.
	MayChange []string `yaml:"may_change" json:"may_change" doc:"Tools, of those under tools, with which the NPC may change what is its own without asking you: itself, what it has with it, its notes. Everything else that it wants to change is proposed to you."`
	// BehaviorRules are instructions that the NPC always follows.
	BehaviorRules []string `yaml:"behavior_rules" json:"behavior_rules" doc:"Rules the NPC always follows."`
	// SecretKnowledge is what the NPC knows but does not tell.
	SecretKnowledge []KeptSecret `yaml:"secret_knowledge" json:"secret_knowledge" doc:"What the NPC knows and keeps to itself: a text, or a secret with reveal_when."`
	// Knows lists the groups that the NPC belongs to. It shares their knowledge.
	Knows []string `yaml:"knows" json:"knows" doc:"Groups the NPC belongs to, such as village or watch: what is visible to a group of the campaign is known to the NPC."`
	// Senses are the senses that the NPC lacks.
	Senses Senses `yaml:"senses" json:"senses" doc:"What the NPC cannot do: hear, or see."`
	// KnowledgeScope lists the subjects that the NPC is knowledgeable about.
	KnowledgeScope []string  `yaml:"knowledge_scope" json:"knowledge_scope" doc:"What the NPC knows a lot about."`
	Voice          tts.Voice `yaml:"voice" json:"voice" doc:"How the NPC sounds."`
	// Avatar is the URL of the NPC's picture in chats, if it has one.
	Avatar string `yaml:"avatar" json:"avatar" format:"url" doc:"Address of the NPC's picture, shown beside its lines on Discord."`
	// Lines holds stock phrases by occasion: greeting, filler, answer, roll, unknown, refusal, smalltalk,
	// farewell.
	Lines map[string][]string `yaml:"lines" json:"lines" keys:"greeting|filler|answer|roll|recall|unknown|refusal|smalltalk|farewell" doc:"Stock phrases by occasion: greeting, filler, answer, roll, recall, unknown, refusal, smalltalk, farewell."`
	// Topics are subjects for which the NPC has prepared lines, in each of its languages.
	Topics []llm.Topic `yaml:"topics" json:"topics" doc:"What the NPC has words for: how it is asked for, and what the NPC says."`

	// File and Line say where the NPC is defined.
	File string `yaml:"-" json:"-"`
	Line int    `yaml:"-" json:"-" line:"true"`
}

// Senses says which senses an NPC lacks.
type Senses struct {
	Deaf  bool `yaml:"deaf" json:"deaf" doc:"Whether the NPC hears nothing that is said. A whisper to it is a note that it is handed."`
	Blind bool `yaml:"blind" json:"blind" doc:"Whether the NPC sees nothing: it is not told what things look like, where they are and who is silently there."`
}

// KeptSecret is something that an NPC does not tell.
type KeptSecret struct {
	Text string `yaml:"secret" json:"secret" short:"true" required:"true" doc:"What the NPC keeps to itself."`
	// RevealWhen lists words that unlock the secret. Once a player says one of them to the NPC, the NPC may
	// tell the secret for the rest of the session.
	RevealWhen []string `yaml:"reveal_when" json:"reveal_when" doc:"Words or phrases: once a player says one of them to the NPC, it may tell the secret for the rest of the session."`
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
	Style string `yaml:"style" json:"style" enum:"yields|finishes_sentence|insists" doc:"What the NPC does when a player talks over it: yields (stops at once), finishes_sentence or insists (stops only when told to or called)."`
	// Confirm is how long a player must speak before it counts as an interruption, unless words are
	// recognised earlier. Default 500ms.
	Confirm Duration `yaml:"confirm" json:"confirm" min:"20ms" max:"5s" doc:"How long a player must make themselves heard over the NPC before that counts as an interruption, unless their words are understood earlier. The NPC speaks softly from 200 ms on."`
	// Resumes says whether the NPC resumes its sentence after something that turned out not to be an
	// interruption. Default true.
	Resumes bool `yaml:"resumes" json:"resumes" doc:"Whether the NPC takes up its sentence again after a cough or an mhm."`
}

// ToolConfig configures built-in tools.
type ToolConfig struct {
	// Floors overrides the declared floors of tools, by tool name.
	Floors map[string]mcp.BudgetTier `yaml:"floors" json:"floors" enum:"fast|standard|deep" doc:"Fastest tier a tool may be offered in, by tool."`
	// Tables adds or replaces random tables for roll_table, by name.
	Tables map[string]RandomTable `yaml:"tables" json:"tables" doc:"Your own random tables for roll_table, by name."`
	// FileQuota is the maximum size of the file sandbox, in bytes. Default 64 MiB.
	FileQuota int64 `yaml:"file_quota" json:"file_quota" min:"0" doc:"Most bytes the files written by NPCs may take up together."`
}

// RandomTable is a table for roll_table. All entries are equally likely.
type RandomTable struct {
	Description string   `yaml:"description" json:"description" doc:"What the table is for."`
	Entries     []string `yaml:"entries" json:"entries" required:"true" doc:"Results, each as likely as any other."`
}

// Values of memory.store.
const (
	StoreSQLite   = "sqlite"
	StorePostgres = "postgres"
)

// Memory configures what NPCs remember.
type Memory struct {
	// Store says where memory is stored. Default sqlite.
	Store string `yaml:"store" json:"store" enum:"sqlite|postgres" doc:"Where it is kept: sqlite (a file of this program) or postgres (a PostgreSQL server)."`
	// DSN is the connection string for postgres, with server, user and database.
	DSN Secret `yaml:"dsn" json:"dsn" doc:"Connection string of the PostgreSQL server, best taken from the environment."`
	// Schema separates the data of several users of one database, such as the campaigns of different guilds.
	// If empty, the schema of the connection string is used. It cannot be set in a file.
	Schema string `yaml:"-" json:"-"`
	// Path is the path of the database file, absolute after loading. Default DataDir/glyphoxa.db.
	Path string `yaml:"path" json:"path" format:"path" doc:"Database file; glyphoxa.db in data_dir if missing."`
	// RecentLines is the maximum number of lines of the session that an NPC keeps in mind. Default 20.
	RecentLines int `yaml:"recent_lines" json:"recent_lines" min:"0" max:"1000" doc:"How many of the latest lines at the table an NPC has in mind at most; fewer in fast and standard turns."`
	// History is the maximum number of its own turns that an NPC keeps verbatim. Default 12.
	History int `yaml:"history" json:"history" min:"0" max:"1000" doc:"How many of its own turns an NPC remembers word by word at most."`
	// Learn says what happens to things from a session that are worth keeping. Default [LearnReview].
	Learn string `yaml:"learn" json:"learn" enum:"off|review|accept" doc:"What becomes of promises, debts and news of a session: nothing, proposed to the game master (/memory), or known to those who heard it at once."`
	// Digest says how a session is searched for such things. Default [DigestPhrases].
	Digest string `yaml:"digest" json:"digest" enum:"phrases|model" doc:"By what sessions are gone through for that: lists of phrases, or the model of providers.llm, which is paid for; each of its proposals is held to the lines that it cites."`
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
	Fast     T `yaml:"fast" json:"fast" inherit:"true" doc:"For quick talk."`
	Standard T `yaml:"standard" json:"standard" inherit:"true" doc:"For questions about the past or the rules."`
	Deep     T `yaml:"deep" json:"deep" inherit:"true" doc:"For careful thought."`
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
	S2SSilence Duration `yaml:"s2s_silence" json:"s2s_silence" min:"100ms" max:"1m" doc:"Longest silence of a speech-to-speech model before the cascaded engine answers in its place."`
	// TurnTimeout limits a whole turn. Default 60s.
	TurnTimeout Duration `yaml:"turn_timeout" json:"turn_timeout" min:"1ms" max:"1h" doc:"Longest time for a whole turn."`
	// MinDeepInterval is the minimum interval between DEEP turns of an NPC. Turns that the DM asks for start
	// the interval too. Default 30s.
	MinDeepInterval Duration `yaml:"min_deep_interval" json:"min_deep_interval" min:"0s" doc:"Shortest time between two deep turns of an NPC. A deep turn that the DM asks for starts it too, but never waits for it."`
	// Policy lists, in order, what to do if the first audio would come too late. Default all steps.
	Policy []string `yaml:"policy" json:"policy" enum:"lower_tier|opener|fallback|filler" doc:"What to do when an answer would come too late, in order: lower_tier (fewer tools), opener (begin with a stock phrase), fallback (ask the faster model), filler (a stock phrase when the time is nearly up)."`
	// Preemptive says what may begin before the player has finished speaking. It is one of the Preempt
	// constants; empty means PreemptOff. Default PreemptVoice.
	Preemptive Preemption `yaml:"preemptive" json:"preemptive" enum:"off|model|voice" doc:"What begins while the end of the player's words is still awaited: off (nothing), model (the model thinks) or voice (its first sentence is spoken, too, and heard once the words prove right). Costs more requests; true and false of older files are voice and off."`
	// FirstClause makes audio start after the first clause of an answer if the model writes slowly and the
	// voice can speak a single clause. Default true.
	FirstClause bool `yaml:"first_clause" json:"first_clause" doc:"Whether an NPC begins to speak with the first clause of its answer while the model still writes the sentence; only where the voice can."`
	// DeepKeywords and StandardKeywords replace the built-in lists, unless empty.
	DeepKeywords     []string `yaml:"deep_keywords" json:"deep_keywords" doc:"Words that ask for a deep answer; replaces the built-in list."`
	StandardKeywords []string `yaml:"standard_keywords" json:"standard_keywords" doc:"Words that ask for a standard answer; replaces the built-in list."`
	// Continuation is how long a line without a name goes to the NPC that spoke last. Default 30s.
	Continuation Duration `yaml:"continuation" json:"continuation" min:"0s" doc:"How long a line that names nobody goes to the NPC who spoke last."`
	// Lease is how long a DM's raise of the tier lasts unless the DM says otherwise. Default 5m.
	Lease Duration `yaml:"lease" json:"lease" min:"1s" max:"24h" doc:"How long a raise by the DM lasts."`
	// LeaseTurns is the maximum number of turns that it lasts. Default 10.
	LeaseTurns int `yaml:"lease_turns" json:"lease_turns" min:"1" max:"1000" doc:"How many turns a raise by the DM lasts at most."`
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
	Detection string `yaml:"detection" json:"detection" enum:"auto|silero|energy|webrtc" doc:"What tells voice from noise: silero (a trained model, which music and machines do not fool; needs onnxruntime), energy (by loudness and pitch; needs nothing), auto (silero where onnxruntime is found, else energy) or webrtc (hears whispers, and takes coughs and clatter for voice; needs a library of the system)."`
	// ONNXRuntime is the path of the onnxruntime library, absolute after loading. If empty, Glyphoxa searches
	// for it.
	ONNXRuntime string `yaml:"onnxruntime" json:"onnxruntime" format:"path" doc:"File of onnxruntime's library, which silero needs; if missing, it is sought where make onnx puts it, beside the program and where the system keeps libraries."`
	// EarlyFinals is the maximum number of times that the transcript of an utterance is requested before its
	// end is certain. 0 means never. Default 3.
	EarlyFinals int `yaml:"early_finals" json:"early_finals" min:"0" max:"10" doc:"How often the final transcript of an utterance is asked for as soon as the voice stops, before it is certain that the player has ended; 0 for never. Makes answers faster; a request is in vain if the player goes on."`
}

// Speaking configures how NPCs speak.
type Speaking struct {
	// MaxSpeech limits the length of an answer, which is cut at the end of a sentence. 0 means no limit.
	// Default 45s.
	MaxSpeech Duration `yaml:"max_speech" json:"max_speech" min:"0s" max:"10m" doc:"How long an NPC speaks at most before it is cut off at the end of a sentence; 0s for as long as it likes."`
	// Normalise is one of the Normalise constants. Default auto.
	Normalise string `yaml:"normalise" json:"normalise" enum:"auto|always|never" doc:"What is put into words before a voice gets it: always everything; never anything; auto leaves numbers, dates and abbreviations to voices that read them correctly, but not dice, units and values such as AC."`
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
	Guild string `yaml:"guild" json:"guild" format:"number" doc:"Id of your Discord server, a long number."`
	// DMRoles lists the roles that may use DM commands, by name or id. If empty, it is everyone who may
	// manage the Discord server.
	DMRoles []string `yaml:"dm_roles" json:"dm_roles" doc:"Discord roles that may use the dungeon master's commands, by name or id; those who may manage the server if missing."`
	// ClientSecret is the application's client secret. DMs need it to sign in to the console with their
	// Discord account. If empty, signing in is off.
	ClientSecret Secret `yaml:"client_secret" json:"client_secret" doc:"OAuth2 client secret from the Discord developer portal: with it, whoever leads games in a server may sign in to the console with their Discord account."`
	// APIURL is the base URL of Discord's REST API, without a version. If empty, it is Discord's own.
	APIURL string `yaml:"api_url" json:"api_url" format:"url" doc:"Where Discord's API is, for tests and proxies; Discord itself if missing."`
	// VoiceCA is a PEM file of certificates to trust for voice connections, in addition to the system's.
	VoiceCA string `yaml:"voice_ca" json:"voice_ca" doc:"A PEM file of certificates to trust for voice connections besides the system's, for tests and proxies; none if missing."`
}

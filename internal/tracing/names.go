package tracing

// The names of all data that leaves this program in a trace. Those of generative AI and
// MCP are OpenTelemetry's semantic conventions as of November 2026, the former still in
// development. Voice has none, so its stages have our own names. No other file in the
// program contains these names.
const (
	scope = "github.com/MrWong99/glyphoxa"

	// Spans: the operation, followed by its object.
	operationAgent = "invoke_agent"
	operationModel = "chat"
	operationTool  = "execute_tool"
	methodCallTool = "tools/call"

	// Generative AI.
	keyOperation    = "gen_ai.operation.name"
	keyProvider     = "gen_ai.provider.name"
	keyModel        = "gen_ai.request.model"
	keyConversation = "gen_ai.conversation.id"
	keyAgent        = "gen_ai.agent.name"
	keyTool         = "gen_ai.tool.name"
	keyInputTokens  = "gen_ai.usage.input_tokens"
	keyOutputTokens = "gen_ai.usage.output_tokens"
	keyFirstChunk   = "gen_ai.response.time_to_first_chunk" // in seconds

	// MCP.
	keyMethod   = "mcp.method.name"
	keyProtocol = "mcp.protocol.version"
	keySession  = "mcp.session.id"

	// Others.
	keyErrorType = "error.type"
	keyPeer      = "server.address"

	// Turns, and the stages of their ledger.
	keyTurn   = "glyphoxa.turn"
	keyRoute  = "glyphoxa.route"
	keyTier   = "glyphoxa.tier"
	keyEnd    = "glyphoxa.outcome"
	keyBudget = "glyphoxa.budget"
	keyBreach = "glyphoxa.breach_stage"
	keyTarget = "glyphoxa.target_ms"
	keySound  = "glyphoxa.first_sound_ms"
	keyAnswer = "glyphoxa.first_substance_ms"
	keyRounds = "glyphoxa.tool_rounds"
	stages    = "glyphoxa." // followed by the stage, such as "glyphoxa.endpoint"

	// errorOther stands for a failure without its own name.
	errorOther = "_OTHER"
	// errorTool is a failure that a tool itself reports.
	errorTool = "tool_error"
)

// The program's description of itself in every trace.
const (
	Service    = "glyphoxa"
	KeyService = "service.name"
	KeyVersion = "service.version"
)

# Every target works on a fresh machine with Go; test installs the rest.

GO       ?= go
BIN      := bin/glyphoxa
VERSION  ?= dev
COMMIT   := $(shell git rev-parse --short=12 HEAD 2>/dev/null)
LDFLAGS  := -X main.version=$(VERSION) -X main.linked=$(COMMIT)
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.1.4
FUZZTIME ?= 30s
# A package may take this long: cmd/glyphoxa takes minutes where there are two
# busy cores.
TESTTIME ?= 30m
# SQLite is C that was translated, with the libc under it. Watching each of its reads and
# writes makes it ten times slower, and so it is with the encoder of sentences, which
# multiplies numbers of its caller's. What calls them is watched.
UNRACED  := -gcflags=modernc.org/sqlite/...=-race=false -gcflags=modernc.org/libc/...=-race=false \
	-gcflags=github.com/MrWong99/glyphoxa/pkg/provider/embeddings/sentencevectors=-race=false

export CGO_ENABLED ?= 0
# All targets build alike, so that none compiles anew what another has.
export GOFLAGS := $(GOFLAGS) -trimpath

.PHONY: play run build lab dist test-dist test race test-all gate soak peers onnx conformance conformance-client check bench bench-mcp bench-outward bench-growth bench-memory bench-ear bench-discord bench-peers bench-realtime bench-console eval eval-rules eval-memory eval-address eval-hearing eval-prosody fuzz cover clean

play: build
	@$(BIN) play --browser $(ARGS)

run: build
	@$(BIN) run $(ARGS)

# Whoever waits at a terminal is shown for what.
build:
	@sh .ci/build '$(GO)' -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/glyphoxa

# lab builds the program that plays scenes and simulates tables.
lab:
	@sh .ci/build '$(GO)' -ldflags '$(LDFLAGS)' -o bin/glyphoxa-lab ./cmd/glyphoxa-lab

# dist builds what is handed out into dist/: for each system an archive and a list of what is
# in it, Debian packages, an OCI image, checksums. The version is the tag's. The first time
# takes a quarter of an hour for each system; TARGETS="linux/amd64" names fewer.
dist:
	@GO='$(GO)' $(GO) -C packaging run .

# test-dist has other people's tools judge what dist built: lintian and dpkg, skopeo and
# umoci, CycloneDX's schema, BuildKit's linter, Compose's reader.
test-dist:
	@cd packaging && GO='$(GO)' GLYPHOXA_DIST=1 $(GO) test -count=1 ./...

# test is what people wait for: all but the long tests. The race detector watches the product's
# packages (race); not the programs, which run as processes of their own, nor what is for tests
# alone. It needs a C compiler, which peers installs where it may.
test: race
	$(GO) test -short -timeout $(TESTTIME) $(UNWATCHED) ./cmd/...

# Packages that the race detector does not watch: the product links none of them.
UNWATCHED := ./internal/lab/... ./internal/repository/... ./srd/...
WATCHED = $$($(GO) list ./internal/... ./pkg/... | grep -v -e internal/lab -e internal/repository)

race: peers
	@if command -v gcc >/dev/null || command -v cc >/dev/null; then \
		echo "$(GO) test -race -short (the product's packages)"; CGO_ENABLED=1 $(GO) test -race -short $(UNRACED) -timeout $(TESTTIME) $(WATCHED); \
	else \
		echo "no C compiler: testing without the race detector"; $(GO) test -short -timeout $(TESTTIME) $(WATCHED); \
	fi

# test-all adds the long tests, without the race detector, those of the packages and the gate.
# Packages that measure run in the gate, where nothing runs beside them.
test-all: race
	$(GO) test -timeout $(TESTTIME) ./cmd/... ./srd/... $$($(GO) list ./internal/lab/... ./internal/repository/... | grep -v -e internal/lab/mcpbench -e internal/lab/voicebench) \
		$$(grep -rl --include='*_test.go' 'testing[.]Short()' internal pkg | grep -v -e internal/lab -e internal/repository | xargs -n1 dirname | sort -u | sed 's|^|./|')
	cd packaging && $(GO) test ./...
	$(MAKE) gate

# gate fails if a call through the host has become dearer than one through the
# bare SDK, or if a table's memory grows over a day. The race detector would
# spoil the measurement.
gate:
	$(GO) test -count=1 ./internal/lab/mcpbench
	$(GO) test -count=1 -run '^Test(ADayAtTheTable|RandomTables)$$' ./internal/table
	$(GO) test -count=1 ./internal/lab/voicebench

# soak has models misbehave over 10,000 turns: nothing of it may be delivered. Then it
# kills programs that write to memory at random points of 1,000 turns, on either store, and
# listens to the real program, as bench-ear does, without holding it to targets. At last
# ten tables play in voice channels for ten minutes; the report says what they came to.
soak: onnx
	GLYPHOXA_SOAK=1 $(GO) test -count=1 -timeout 30m -run '^TestMisbehavingModel$$' ./internal/table -v
	GLYPHOXA_SOAK=1 $(GO) test -count=1 -timeout 30m -run '^TestKilled$$' ./pkg/memory/sqlite ./pkg/memory/postgres -v
	GLYPHOXA_SOAK=1 $(GO) test -count=1 -timeout 30m -run '^TestNoNPCLearns' ./internal/play -v
	GLYPHOXA_SOAK=1 $(GO) test -count=1 -timeout 60m -run '^TestEar$$' ./internal/lab/waveform -v
	$(GO) run ./cmd/glyphoxa-lab simulate --discord --tables 10 --minutes 10

# peers installs what the tests need beside Go.
peers:
	@sh testdata/peers/install.sh

# onnx fetches onnxruntime, which Silero's voice detection needs, for this user.
onnx:
	@sh pkg/audio/vad/onnxruntime.sh

# conformance runs the MCP conformance suites against the outward server and
# shows every scenario; part of make test-all.
conformance: peers
	GLYPHOXA_REQUIRE_PEERS=1 $(GO) test -count=1 -v -run '^TestConformance$$' ./internal/lab/conformanceserver

# conformance-client runs the MCP conformance suite against the tool host and
# shows every scenario; part of make test-all.
conformance-client: peers
	GLYPHOXA_REQUIRE_PEERS=1 $(GO) test -count=1 -v ./internal/lab/conformanceclient

check:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	$(GO) mod tidy -diff
	$(GO) -C examples/weather mod tidy -diff
	@sh .ci/vulncheck $(GOVULNCHECK)

bench: build
	$(GO) test -run '^$$' -bench . -benchmem ./...

# bench-mcp sets the host beside go-sdk and mcp-go, and fails if it misses the
# targets of docs/performance.md.
bench-mcp:
	@$(GO) test -count=1 -run '^TestHostCostsLittle$$' ./internal/lab/mcpbench -v -args -strict

# bench-outward sets the outward server beside a bare one of go-sdk, and has
# 200 clients follow a world that changes; then strangers attack the program beside a client
# with a token. It fails if targets are missed, and wants the machine to itself.
bench-outward:
	@$(GO) test -count=1 -timeout 30m -run '^TestOutward' ./internal/lab/mcpbench -v -args -strict
	@$(GO) test -count=1 -timeout 30m -run '^Test(BurstsOfLargeRequests|Floods)$$' ./cmd/glyphoxa -v -args -strict

# bench-growth has tools, entities and audit records become a thousand times as many, prints
# the slopes of what that costs, and fails where one is above the bounds of docs/performance.md.
bench-growth:
	@$(GO) test -count=1 -timeout 30m -run '^TestGrowthOf' ./internal/lab/mcpbench -v -args -strict

# bench-memory makes a million lines, 300,000 facts and 50,000 entities, and a tenth of that in
# PostgreSQL, prints what memory costs then, and fails where a target of docs/performance.md is
# missed. It forgets a player while three tables talk and take back what they said. It wants
# 3 GB of disk and the machine to itself.
bench-memory:
	@$(GO) test -count=1 -timeout 45m -run '^TestMemory$$' ./internal/lab/memorybench -v -args -strict

# bench-peers sets the voice loop beside LiveKit Agents for Node, and fails if
# ours is slower or misses the targets of docs/performance.md.
bench-peers: onnx
	@sh testdata/peers/livekit/install.sh
	@$(GO) test -count=1 -timeout 60m -run '^Test(Voiced)?Peers$$' ./internal/lab/voicebench -v -args -strict

# bench-ear measures what a player hears of the real program, on the waveform of a sound
# device that nobody sees, and fails if the targets of docs/performance.md are missed. It
# takes a quarter of an hour, and wants the machine to itself.
bench-ear: onnx
	@GLYPHOXA_BENCH_EAR=1 $(GO) test -count=1 -timeout 60m -run '^TestEar$$' ./internal/lab/waveform -v -args -strict

# bench-discord measures what a player hears of the real program in a voice channel, with
# a client that nobody here wrote, and fails if the targets of docs/performance.md are
# missed. It takes ten minutes, and wants the machine to itself.
bench-discord: onnx peers
	@GLYPHOXA_BENCH_DISCORD=40 GLYPHOXA_REQUIRE_PEERS=1 $(GO) test -count=1 -timeout 60m -run '^TestDiscordVoiceEar$$' ./cmd/glyphoxa -v -args -strict

# bench-realtime sets the way from a speech-to-speech service's first sound to the
# first frame beside LiveKit Agents' realtime path, against the same fake service, and
# fails if ours takes more than a third of theirs.
bench-realtime:
	@sh testdata/peers/livekit/install.sh
	@$(GO) test -count=1 -timeout 30m -run '^TestRealtimePeer$$' ./internal/lab/voicebench -v -args -strict

# bench-console watches a table of ten turns a second and 200 tools in a browser that traces
# itself, and fails where a view of the console lets too few frames pass, or where somebody who
# follows the table costs the program more than a hundredth of a core. It wants the machine to
# itself.
bench-console: peers
	@GLYPHOXA_BENCH_CONSOLE=10 GLYPHOXA_REQUIRE_PEERS=1 $(GO) test -count=1 -run '^Test(Frames|AFollowerCostsLittle)$$' ./internal/web -v -args -strict

# With GLYPHOXA_EVAL_HELD=1, the evaluations score the parts that are held back, too.
HELD = $(if $(filter 1,$(GLYPHOXA_EVAL_HELD)),--held)

# eval scores all corpora of testdata/truth, their held thirds included, and prints
# one table after the other; docs/truth.md says what the figures mean. It runs tests, because
# the scripted cast plays at a table in their virtual time.
eval:
	@GLYPHOXA_EVAL_HELD=1 $(GO) test -count=1 -v -run '^TestEval' ./internal/lab/truth | sh .ci/evaltable

# eval-rules scores the search of the rule book on the questions of testdata/truth/rules,
# and shows the misses of the half it is tuned on.
eval-rules:
	@$(GO) run ./cmd/glyphoxa-lab eval rules --misses $(HELD)

# eval-memory asks what was said on the evenings of testdata/truth/memory, in other words
# than were used, and prints how often the right lines are found.
eval-memory:
	@$(GO) run ./cmd/glyphoxa-lab eval memory $(HELD)

# eval-address scores who an utterance is for, over the sequences of testdata/truth/address
# and, with every miss, the lines of testdata/address.
eval-address:
	@$(GO) run ./cmd/glyphoxa-lab eval address $(HELD)
	@$(GO) test -count=1 -v -run '^TestAccuracy' ./internal/address

# eval-hearing makes the clips of testdata/hearing if they are missing, plays them to
# lanes with each voice detector and prints what these made of them. It fails where
# they do worse than they did.
eval-hearing: onnx
	@GO='$(GO)' sh testdata/hearing/eval.sh

# eval-prosody tells what pitch, length and loudness before a pause tell of whether the
# speaker goes on, which nothing of the program uses.
eval-prosody:
	@GO='$(GO)' sh testdata/hearing/turns/eval.sh

fuzz:
	@sh .ci/fuzz $(FUZZTIME)

cover:
	$(GO) test -coverprofile=cover.out ./...
	$(GO) tool cover -func=cover.out | tail -1

clean:
	rm -rf bin dist cover.out

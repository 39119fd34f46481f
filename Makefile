# Every target works on a fresh machine with Go; test installs the rest.

GO       ?= go
BIN      := bin/glyphoxa
VERSION  ?= dev
COMMIT   := $(shell git rev-parse --short=12 HEAD 2>/dev/null)
LDFLAGS  := -X main.version=$(VERSION) -X main.linked=$(COMMIT)
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.1.4
FUZZTIME ?= 30s
# The limit for a package's tests: cmd/glyphoxa takes minutes on two busy cores.
TESTTIME ?= 30m
# SQLite is translated from C, together with its libc. Race detection would make both ten
# times slower, and likewise the sentence encoder, which only multiplies numbers. The code
# that calls them is checked.
UNRACED  := -gcflags=modernc.org/sqlite/...=-race=false -gcflags=modernc.org/libc/...=-race=false \
	-gcflags=github.com/MrWong99/glyphoxa/pkg/provider/embeddings/sentencevectors=-race=false

export CGO_ENABLED ?= 0
# All targets use the same flags, so that no package is compiled twice.
export GOFLAGS := $(GOFLAGS) -trimpath

.PHONY: play run build lab dist test-dist test race test-all gate soak peers onnx conformance conformance-client check bench bench-mcp bench-outward bench-growth bench-memory bench-ear bench-discord bench-peers bench-realtime bench-console eval eval-rules eval-memory eval-address eval-hearing eval-prosody fuzz cover clean

play: build
	@$(BIN) play --browser $(ARGS)

run: build
	@$(BIN) run $(ARGS)

# In a terminal, the build shows what it is doing.
build:
	@sh .ci/build '$(GO)' -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/glyphoxa

# lab builds the program that plays scenes and simulates tables.
lab:
	@sh .ci/build '$(GO)' -ldflags '$(LDFLAGS)' -o bin/glyphoxa-lab ./cmd/glyphoxa-lab

# dist builds the release files in dist/: for each system an archive and a list of its
# components, Debian packages, an OCI image, checksums. The version is the tag's. The first run
# takes a quarter of an hour per system; TARGETS="linux/amd64" selects fewer.
dist:
	@GO='$(GO)' $(GO) -C packaging run .

# test-dist checks the files from dist with other tools: lintian and dpkg, skopeo and
# umoci, CycloneDX's schema, BuildKit's linter, Compose's parser.
test-dist:
	@cd packaging && GO='$(GO)' GLYPHOXA_DIST=1 $(GO) test -count=1 ./...

# test runs everything but the long tests. The race detector covers the product's packages
# (race), but not the programs, which run as separate processes, and not the test-only packages.
# It needs a C compiler, which peers installs if permitted.
test: race
	$(GO) test -short -timeout $(TESTTIME) $(UNWATCHED) ./cmd/...

# Packages without race detection, because the product links none of them.
UNWATCHED := ./internal/lab/... ./internal/repository/... ./srd/...
WATCHED = $$($(GO) list ./internal/... ./pkg/... | grep -v -e internal/lab -e internal/repository)

race: peers
	@if command -v gcc >/dev/null || command -v cc >/dev/null; then \
		echo "$(GO) test -race -short (the product's packages)"; CGO_ENABLED=1 $(GO) test -race -short $(UNRACED) -timeout $(TESTTIME) $(WATCHED); \
	else \
		echo "no C compiler: testing without the race detector"; $(GO) test -short -timeout $(TESTTIME) $(WATCHED); \
	fi

# test-all adds the long tests, without race detection: those of the packages, and the gate.
# Packages with measurements run in the gate, where nothing else runs.
test-all: race
	$(GO) test -timeout $(TESTTIME) ./cmd/... ./srd/... $$($(GO) list ./internal/lab/... ./internal/repository/... | grep -v -e internal/lab/mcpbench -e internal/lab/voicebench) \
		$$(grep -rl --include='*_test.go' 'testing[.]Short()' internal pkg | grep -v -e internal/lab -e internal/repository | xargs -n1 dirname | sort -u | sed 's|^|./|')
	cd packaging && $(GO) test ./...
	$(MAKE) gate

# gate fails if a call through the host costs more than allowed beside one through the bare
# SDK, or if a table's memory grows over a day. The race detector would distort the
# measurement.
gate:
	$(GO) test -count=1 ./internal/lab/mcpbench
	$(GO) test -count=1 -run '^Test(ADayAtTheTable|RandomTables)$$' ./internal/table
	$(GO) test -count=1 ./internal/lab/voicebench

# soak runs 10,000 turns with misbehaving models; none of their errors may reach a player.
# Then it kills programs that write to memory at random points of 1,000 turns, on either
# store, and listens to the real program like bench-ear, but without targets. Finally ten
# tables play in voice channels for ten minutes, and the report has the results.
soak: onnx
	GLYPHOXA_SOAK=1 $(GO) test -count=1 -timeout 30m -run '^TestMisbehavingModel$$' ./internal/table -v
	GLYPHOXA_SOAK=1 $(GO) test -count=1 -timeout 30m -run '^TestKilled$$' ./pkg/memory/sqlite ./pkg/memory/postgres -v
	GLYPHOXA_SOAK=1 $(GO) test -count=1 -timeout 30m -run '^TestNoNPCLearns' ./internal/play -v
	GLYPHOXA_SOAK=1 $(GO) test -count=1 -timeout 60m -run '^TestEar$$' ./internal/lab/waveform -v
	$(GO) run ./cmd/glyphoxa-lab simulate --discord --tables 10 --minutes 10

# peers installs the other programs that the tests need.
peers:
	@sh testdata/peers/install.sh

# onnx downloads onnxruntime, which Silero's voice detection needs, for this user.
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

# bench-mcp compares the host with go-sdk and mcp-go, and fails if it misses the targets of
# docs/performance.md.
bench-mcp:
	@$(GO) test -count=1 -run '^TestHostCostsLittle$$' ./internal/lab/mcpbench -v -args -strict

# bench-outward compares the outward server with a bare go-sdk server, and has 200 clients
# follow a changing world; then clients without a token attack the program while one with a
# token uses it. It fails if targets are missed, and needs an otherwise idle machine.
bench-outward:
	@$(GO) test -count=1 -timeout 30m -run '^TestOutward' ./internal/lab/mcpbench -v -args -strict
	@$(GO) test -count=1 -timeout 30m -run '^Test(BurstsOfLargeRequests|Floods)$$' ./cmd/glyphoxa -v -args -strict

# bench-growth multiplies tools, entities and audit records by a thousand, prints how the
# cost grows, and fails if a slope exceeds the bounds of docs/performance.md.
bench-growth:
	@$(GO) test -count=1 -timeout 30m -run '^TestGrowthOf' ./internal/lab/mcpbench -v -args -strict

# bench-memory creates a million lines, 300,000 facts and 50,000 entities, and a tenth of that
# in PostgreSQL, prints the cost of memory operations, and fails if a target of
# docs/performance.md is missed. It also forgets a player while three tables talk and retract
# lines. It needs 3 GB of disk and an otherwise idle machine.
bench-memory:
	@$(GO) test -count=1 -timeout 45m -run '^TestMemory$$' ./internal/lab/memorybench -v -args -strict

# bench-peers compares the voice loop with LiveKit Agents for Node, and fails if ours is
# slower or misses the targets of docs/performance.md.
bench-peers: onnx
	@sh testdata/peers/livekit/install.sh
	@$(GO) test -count=1 -timeout 60m -run '^Test(Voiced)?Peers$$' ./internal/lab/voicebench -v -args -strict

# bench-ear measures the sound that a player hears from the real program, recorded from a
# virtual sound device, and fails if the targets of docs/performance.md are missed. It takes a
# quarter of an hour, and needs an otherwise idle machine.
bench-ear: onnx
	@GLYPHOXA_BENCH_EAR=1 $(GO) test -count=1 -timeout 60m -run '^TestEar$$' ./internal/lab/waveform -v -args -strict

# bench-discord measures the sound that a player hears from the real program in a voice
# channel, with a client by other authors, and fails if the targets of docs/performance.md are
# missed. It takes ten minutes, and needs an otherwise idle machine.
bench-discord: onnx peers
	@GLYPHOXA_BENCH_DISCORD=40 GLYPHOXA_REQUIRE_PEERS=1 $(GO) test -count=1 -timeout 60m -run '^TestDiscordVoiceEar$$' ./cmd/glyphoxa -v -args -strict

# bench-realtime compares the time from a speech-to-speech service's first sound to the first
# frame with LiveKit Agents' realtime path, against the same fake service, and fails if ours
# takes more than a third of theirs.
bench-realtime:
	@sh testdata/peers/livekit/install.sh
	@$(GO) test -count=1 -timeout 30m -run '^TestRealtimePeer$$' ./internal/lab/voicebench -v -args -strict

# bench-console watches a table of ten turns a second and 200 tools in a browser that traces
# itself. It fails if a view of the console renders too few frames, or if a client that
# follows the table costs the program more than a hundredth of a core. It needs an otherwise
# idle machine.
bench-console: peers
	@GLYPHOXA_BENCH_CONSOLE=10 GLYPHOXA_REQUIRE_PEERS=1 $(GO) test -count=1 -run '^Test(Frames|AFollowerCostsLittle)$$' ./internal/web -v -args -strict

# With GLYPHOXA_EVAL_HELD=1, the evaluations also score the held-out parts.
HELD = $(if $(filter 1,$(GLYPHOXA_EVAL_HELD)),--held)

# eval scores all corpora of testdata/truth, including the held-out thirds, and prints one
# table after the other; docs/truth.md explains the figures. It runs as tests, because the
# scripted cast plays at a table in their virtual time.
eval:
	@GLYPHOXA_EVAL_HELD=1 $(GO) test -count=1 -v -run '^TestEval' ./internal/lab/truth | sh .ci/evaltable

# eval-rules scores the search of the rule book on the questions of testdata/truth/rules,
# and shows the misses of the half it is tuned on.
eval-rules:
	@$(GO) run ./cmd/glyphoxa-lab eval rules --misses $(HELD)

# eval-memory asks about the evenings of testdata/truth/memory in other words than were used,
# and prints how often the right lines are found.
eval-memory:
	@$(GO) run ./cmd/glyphoxa-lab eval memory $(HELD)

# eval-address scores the detection of addressees, over the sequences of testdata/truth/address
# and, with every miss, the lines of testdata/address.
eval-address:
	@$(GO) run ./cmd/glyphoxa-lab eval address $(HELD)
	@$(GO) test -count=1 -v -run '^TestAccuracy' ./internal/address

# eval-hearing creates the clips of testdata/hearing if they are missing, plays them to lanes
# with each voice detector and prints the results. It fails if they are worse than before.
eval-hearing: onnx
	@GO='$(GO)' sh testdata/hearing/eval.sh

# eval-prosody shows how well pitch, length and loudness before a pause predict whether the
# speaker continues. The program does not use this.
eval-prosody:
	@GO='$(GO)' sh testdata/hearing/turns/eval.sh

fuzz:
	@sh .ci/fuzz $(FUZZTIME)

cover:
	$(GO) test -coverprofile=cover.out ./...
	$(GO) tool cover -func=cover.out | tail -1

clean:
	rm -rf bin dist cover.out

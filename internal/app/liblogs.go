package app

import (
	"log/slog"

	"github.com/bwmarrin/discordgo"
	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"google.golang.org/grpc/grpclog"

	"github.com/MrWong99/glyphoxa/internal/observe"
)

// RedirectLibraries redirects everything that libraries log process-wide to logs: the standard library's log
// and slog (used by coder/websocket and dave-go), gRPC, OpenTelemetry and discordgo. By default they write to
// standard error, which is the game master's screen. Call it once, before anything is started.
func RedirectLibraries(logs *observe.LibraryLogs) {
	slog.SetDefault(logs.Logger("log")) // this also redirects package log
	grpc := logs.Writer("grpc")
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(grpc, grpc, grpc))
	otel.SetLogger(logr.FromSlogHandler(logs.Logger("opentelemetry").Handler()))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logs.Print("opentelemetry", slog.LevelWarn, err.Error()) }))
	discordgo.Logger = func(_, _ int, format string, a ...any) { logs.Printf("discordgo", slog.LevelWarn, format, a...) }
}

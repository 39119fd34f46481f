package app

import (
	"log/slog"

	"github.com/bwmarrin/discordgo"
	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"google.golang.org/grpc/grpclog"

	"github.com/MrWong99/glyphoxa/internal/observe"
)

// RedirectLibraries has everything that libraries log by a way of the whole process go to logs:
// the standard library's log and slog (coder/websocket and dave-go use them), gRPC,
// OpenTelemetry and discordgo. By default they write to standard error, which is the game
// master's screen. It is called once, before anything is started.
func RedirectLibraries(logs *observe.LibraryLogs) {
	slog.SetDefault(logs.Logger("log")) // has the package log write there, too
	grpc := logs.Writer("grpc")
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(grpc, grpc, grpc))
	otel.SetLogger(logr.FromSlogHandler(logs.Logger("opentelemetry").Handler()))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logs.Print("opentelemetry", slog.LevelWarn, err.Error()) }))
	discordgo.Logger = func(_, _ int, format string, a ...any) { logs.Printf("discordgo", slog.LevelWarn, format, a...) }
}

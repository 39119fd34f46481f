package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/mcp"
	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/provider/s2s"
)

// sessionTime bounds the opening of a session for the check.
const sessionTime = 10 * time.Second

// speechFinding opens a session with the speech-to-speech model and closes it.
func speechFinding(ctx context.Context, cfg *config.Config) finding {
	const part = "speech-to-speech"
	model, _, err := providers.SpeechToSpeech(nil, cfg.Providers)
	switch {
	case errors.Is(err, providers.ErrNoSpeechToSpeech):
		return finding{part: part, ok: true, state: "none; NPCs use the language model and the voice"}
	case err != nil:
		return finding{part, false, err.Error(), "correct providers.s2s in glyphoxa.yaml"}
	}
	ctx, cancel := context.WithTimeout(ctx, sessionTime)
	defer cancel()
	start := time.Now()
	session, err := model.Connect(ctx, s2s.SessionOptions{Instructions: "Say nothing."})
	if err == nil {
		err = session.Close()
	}
	if err != nil {
		fix := "check the address, and that the service is running"
		if errors.Is(err, s2s.ErrRejected) {
			fix = "check api_key and model of providers.s2s"
		}
		return finding{part, false, model.Name() + ": " + userfile.OneLine(err), fix}
	}
	return finding{part: part, ok: true, state: fmt.Sprintf("%s opened a session in %.0f ms", model.Name(), mcp.RoundedMillis(time.Since(start)))}
}

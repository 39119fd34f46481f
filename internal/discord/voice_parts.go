package discord

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/providers"
	"github.com/MrWong99/glyphoxa/internal/userfile"
	"github.com/MrWong99/glyphoxa/pkg/audio/opus"
)

// voiceParts are shared by all voice connections of a bot.
type voiceParts struct {
	opus      *opus.Library
	detection *providers.Detection
	tls       *tls.Config // nil means the default
	// recognition is why players are not heard, nil if they are.
	recognition error
}

// openVoiceParts opens the libraries for voice on this machine. The error names the
// missing one.
func (b *Bot) openVoiceParts() (*voiceParts, error) {
	p := &voiceParts{}
	var err error
	if p.opus, err = opus.Load(); err != nil {
		return nil, fmt.Errorf("sound on Discord needs Opus, and %w", err)
	}
	if b.cfg.VoiceCA != "" {
		if p.tls, err = trustToo(b.cfg.VoiceCA); err != nil {
			return nil, err
		}
	}
	p.detection, err = providers.OpenDetection(b.hearing, func(err error) {
		b.log.Warn("voice detection failed, and energy does it from now on", "reason", err)
	})
	if err != nil {
		return nil, err
	}
	_, p.recognition = providers.Recognition(b.recognition, nil)
	b.voiceOpened.Store(p)
	return p, nil
}

// trustToo returns a TLS configuration that trusts the certificates in a file in addition to the system's.
func trustToo(file string) (*tls.Config, error) {
	data, err := userfile.Read(file, 1<<20)
	if err != nil {
		return nil, fmt.Errorf("discord.voice_ca: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(data) {
		return nil, userfile.Usage(errors.New("discord.voice_ca holds no certificate in PEM"))
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

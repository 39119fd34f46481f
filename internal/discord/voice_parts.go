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

// voiceParts are what all voice connections of a bot share.
type voiceParts struct {
	opus      *opus.Library
	detection *providers.Detection
	tls       *tls.Config // nil is the usual
	// recognition is why nobody is heard, nil if players are.
	recognition error
}

// openVoiceParts opens what voice takes on this machine. The error says what is missing.
func (b *Bot) openVoiceParts() (*voiceParts, error) {
	p := &voiceParts{}
	var err error
	if p.opus, err = opus.Load(); err != nil {
		return nil, fmt.Errorf("voice on Discord is made of Opus, and %w", err)
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

// trustToo is a configuration that trusts the certificates of a file besides the
// system's.
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

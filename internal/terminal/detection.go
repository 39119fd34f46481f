package terminal

import (
	"fmt"

	"github.com/MrWong99/glyphoxa/internal/config"
	"github.com/MrWong99/glyphoxa/internal/providers"
)

// openDetection opens the voice detection if there are players with sound.
func (cs *captures) openDetection(hearing config.Hearing) (err error) {
	if len(cs.all) == 0 {
		return nil
	}
	cs.detection, err = providers.OpenDetection(hearing, func(err error) {
		cs.screen.showNotice("warning", fmt.Sprintf("voice detection with silero failed, so loudness decides from now on who is speaking: %v", err))
	})
	if err != nil {
		return fmt.Errorf("--hear: %w", err)
	}
	return nil
}

// reportDetection reports once if another detector is used than the preferred one.
func (cs *captures) reportDetection(asked string) {
	if cs.detection == nil || cs.detection.Missing() == nil {
		return
	}
	if missing := cs.detection.Missing(); asked == config.DetectionAuto {
		cs.screen.showNotice("info", fmt.Sprintf("loudness alone decides who is speaking, so music or a barking dog may pass for speech; silero would do better, but %v", missing))
	} else {
		cs.screen.showNotice("warning", fmt.Sprintf("hearing.detection is %s, but loudness decides who is speaking: %v", asked, missing))
	}
}

// closeDetection closes the voice detection. No player may still use it.
func (cs *captures) closeDetection() error {
	if cs.detection == nil {
		return nil
	}
	return cs.detection.Close()
}

package opus

import (
	"fmt"
	"runtime"
)

// missing is the error for a machine without libopus.
func missing() error {
	return fmt.Errorf("%w, so sound cannot be encoded: %s", ErrNoLibrary, advice(runtime.GOOS))
}

// advice says how to get libopus.
func advice(system string) string {
	switch system {
	case "linux":
		return "install libopus0 (apt-get install libopus0), opus (dnf, pacman, apk) or your system's like"
	case "darwin":
		return "brew install opus"
	}
	return "run Glyphoxa on Linux or macOS (amd64 or arm64)"
}

package opus

import (
	"fmt"
	"runtime"
)

// missing returns the error for a machine without libopus.
func missing() error {
	return fmt.Errorf("%w, so sound cannot be sent: %s", ErrNoLibrary, advice(runtime.GOOS))
}

// advice returns instructions for installing libopus.
func advice(system string) string {
	switch {
	case static:
		return "use a program that was not built with the tag static"
	case system == "linux":
		return "install libopus0 (apt-get install libopus0), opus (dnf, pacman, apk) or the package of your system"
	case system == "darwin":
		return "brew install opus"
	}
	return "run Glyphoxa on Linux or macOS (amd64 or arm64)"
}

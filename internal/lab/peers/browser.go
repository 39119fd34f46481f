package peers

import (
	"os/exec"
	"testing"
)

// Browser returns the path of a headless Chromium-based browser, and the
// arguments for every start.
func Browser(t testing.TB) (path string, args []string) {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, []string{
				"--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--user-data-dir=" + t.TempDir(),
				"--no-sandbox", // the sandbox does not work for root, nor in most containers
				"--disable-background-networking", "--disable-component-update",
			}
		}
	}
	lacks(t, "no browser of Chromium's family is installed")
	return "", nil
}

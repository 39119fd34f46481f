//go:build static

package opus

const static = true

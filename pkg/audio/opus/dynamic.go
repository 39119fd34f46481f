//go:build !static

package opus

// static reports whether the program was built with the static tag and therefore loads no libraries.
const static = false

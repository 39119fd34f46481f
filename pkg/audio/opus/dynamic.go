//go:build !static

package opus

// static says that the program was built with the tag of this name, and loads no libraries.
const static = false

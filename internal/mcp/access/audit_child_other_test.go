//go:build !linux

package access_test

func runChild(string) { panic("only Linux tests run children") }

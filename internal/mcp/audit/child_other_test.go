//go:build !linux

package audit_test

func runChild(string) { panic("only Linux tests run children") }

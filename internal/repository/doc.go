// Package repository tests the repository itself: which way imports point, that
// what the pages say is so, and that the files that ship are complete. It has
// nothing but tests.
package repository

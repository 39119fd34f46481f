// Package repository tests the repository itself: the direction of imports, the
// claims of the pages, and the completeness of the shipped files. It contains
// only tests.
package repository

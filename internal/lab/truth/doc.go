// Package truth scores what the product promises about who is meant, what is said and
// what the scripted cast answers, over the corpora of testdata/truth. `make eval` prints
// the scores; tests hold them.
package truth

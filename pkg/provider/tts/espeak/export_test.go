package espeak

// Arguments is arguments, for tests of the mapping alone.
var Arguments = arguments

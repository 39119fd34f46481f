package espeak

// Arguments exposes arguments to tests of the mapping.
var Arguments = arguments

package fileio

const diskFullError = errorDiskFull

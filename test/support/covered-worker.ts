// Loaded into every process of a parallel mocha that measures coverage.
//
// Mocha gives a worker a second to exit, then sends SIGTERM. Node writes a worker's coverage while
// it exits, which takes longer. A listener keeps the signal from ending the process in the middle.
process.on('SIGTERM', () => process.exit(143));

/** Of Node.js, for every built program. */
export const NODE_FLAGS: readonly string[] = [
  '--enable-source-maps',
  '--disable-warning=ExperimentalWarning',
];

/** For a worker, which does the same few things all day. Figures: docs/decisions/0008. */
export const WORKER_FLAGS: readonly string[] = [
  ...NODE_FLAGS,
  // Its code is compiled once, for good; a compiler between the quick one and the good one does most of it twice.
  '--no-maglev',
  // MiB. The young generation begins as large as it becomes: while it is small, commands under way are taken for old.
  '--min-semi-space-size=16',
];

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
  // It stays so, too: pages of reports would have it grow fourfold, and a worker would keep that.
  '--min-semi-space-size=8',
  '--max-semi-space-size=8',
  // Records of a report live for some slices of their page. V8 took that for a sign that they live long, made them in the
  // old generation from then on, and let that grow by 100 MiB.
  '--no-allocation-site-pretenuring',
];

/**
 * Of every thread of a worker, one arena of malloc: V8's threads each keep what they once compiled with otherwise. glibc
 * only.
 */
export const WORKER_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '1' };

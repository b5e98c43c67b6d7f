/** Every option of `npm run simulate`: its default, and what `--help` says. */
export const OPTIONS = {
  for: { default: '300', help: 'seconds of simulated time' },
  rate: { default: '100', help: "players' commands a second" },
  games: { default: '0.5', help: 'share of them that are game.open; the others are session.create' },
  reports: { default: '0.1', help: 'reports a second' },
  pages: { default: '3', help: 'pages of each report' },
  surge: { help: 'FROM-TO:FACTOR, seconds: so many times as many commands of players; may be repeated' },
  burst: { help: 'AT:COMMANDS, a second and how many come at once; may be repeated' },
  latency: { default: '200', help: 'ms, the median of what the platform takes' },
  'latency-p99': { default: '800', help: 'ms, its 99th percentile' },
  'report-latency': { default: '1000', help: 'ms, the median of what a page of a report takes' },
  failures: { default: '0', help: 'share of the calls that the platform answers with 503' },
  'calls-at-once': { default: '0', help: 'calls that the platform serves at once; 0: any number' },
  outage: { help: 'FROM-TO:KIND[:COMMAND], KIND one of refused, errors, silent, slow=10; may be repeated' },
  workers: { default: '1', help: 'how many; MIN-MAX has them scaled' },
  'scale-at': { default: '100', help: "messages in the players' queue for each worker" },
  'scale-on': { default: 'all', help: 'all: also those in flight; ready: only those not taken' },
  start: { default: '3000', help: 'ms until a new worker takes commands' },
  cpu: { default: '0.6', help: 'ms of processor time a command (docs/performance.md, at 300 a second)' },
  confirm: { default: '2', help: 'ms until the broker confirms a reply' },
  seed: { default: '1', help: 'of chance: the same seed gives the same result' },
  set: { help: 'NAME=VALUE, a setting of the worker; may be repeated' },
  vary: { help: 'NAME=VALUE/VALUE/…, one simulation for each value of a setting, side by side' },
  out: { default: 'simulation.html', help: 'the plots, as .html or .svg' },
  json: { help: 'FILE, every sample' },
} as const satisfies Record<string, { readonly default?: string; readonly help: string }>;

export type Option = keyof typeof OPTIONS;

/** Those that may be given more than once. */
export const REPEATED = ['surge', 'burst', 'outage', 'set'] as const satisfies readonly Option[];

/** What `--help` prints. */
export function helpLines(): readonly string[] {
  const rows = Object.entries(OPTIONS).map(([name, option]) => {
    const fallback = 'default' in option ? ` (${option.default})` : '';
    return `  --${name.padEnd(16)}${option.help}${fallback}`;
  });
  return ['npm run simulate -- [options], with their defaults in parentheses', ...rows];
}

import { extname } from 'node:path';
import { parseArgs } from 'node:util';

import { closest } from 'fastest-levenshtein';

import { type Option, OPTIONS, REPEATED } from './options.ts';
import { readCount, readNumber } from './read-numbers.ts';
import { readBurst, readOutage, readSurge } from './read-spans.ts';
import { type Scenario, SIMULATED_SETTINGS, type SimulatedSetting, type WorkersModel } from './scenario.ts';
import { settingsOf } from './settings-of.ts';

/** A scenario and how plots and tables call it. */
export interface NamedScenario {
  readonly name: string;
  readonly scenario: Scenario;
}

export interface Wanted {
  readonly scenarios: readonly NamedScenario[];
  /** Where the plots go. */
  readonly out: string;
  /** Where every sample goes. */
  readonly json: string | undefined;
}

type Repeated = (typeof REPEATED)[number];
type Values = Partial<Record<Exclude<Option, Repeated>, string>> & Partial<Record<Repeated, string[]>>;
type Given = Partial<Record<SimulatedSetting, string>>;

const FORMATS = ['.html', '.svg'];
const MANY = 1e6;
const DAY_S = 86_400;
const HOUR_MS = 3_600_000;

/** Reads the command line. @throws Error whose message says what the option takes */
export function readScenarios(args: readonly string[]): Wanted {
  const values = readOptions(args);
  const out = values.out ?? OPTIONS.out.default;
  if (!FORMATS.includes(extname(out)))
    throw new Error(`--out takes a file that ends in ${FORMATS.join(' or ')}`);
  const given = Object.assign({}, ...(values.set ?? []).map((text) => readSetting('set', text))) as Given;
  const scenarios = variantsOf(values.vary).map(({ name, varied }) => ({
    name,
    scenario: scenarioOf(values, { ...given, ...varied }),
  }));
  return { scenarios, out, json: values.json };
}

/** @throws Error that names the option which was probably meant */
function readOptions(args: readonly string[]): Values {
  const names = Object.keys(OPTIONS) as Option[];
  for (const argument of args) {
    const [, name] = /^--([^=]+)/.exec(argument) ?? [];
    if (name !== undefined && !names.some((known) => known === name)) {
      throw new Error(`there is no --${name}; did you mean --${closest(name, names)}? --help lists all`);
    }
  }
  const isRepeated = (name: Option): boolean => REPEATED.some((repeated) => repeated === name);
  const options: Record<string, { type: 'string'; multiple: boolean }> = {};
  for (const name of names) options[name] = { type: 'string', multiple: isRepeated(name) };
  return parseArgs({ args: [...args], options }).values;
}

function scenarioOf(values: Values, given: Given): Scenario {
  const text = (option: Exclude<keyof typeof OPTIONS, Repeated | 'vary' | 'json'>): string =>
    values[option] ?? OPTIONS[option].default;
  const number = (option: Parameters<typeof text>[0], most = MANY, least = 0): number =>
    readNumber(option, text(option), [least, most]);
  const latencyMs = number('latency', HOUR_MS, 1);
  return {
    seed: readCount('seed', text('seed'), [0, MANY]),
    forMs: number('for', DAY_S, 1) * 1_000,
    load: {
      perSecond: number('rate'),
      gamesShare: number('games', 1),
      reportsPerSecond: number('reports'),
      pages: readCount('pages', text('pages'), [1, MANY]),
      surges: (values.surge ?? []).map(readSurge),
      bursts: (values.burst ?? []).map(readBurst),
    },
    platform: {
      latencyMs,
      latencyP99Ms: number('latency-p99', HOUR_MS, latencyMs),
      reportLatencyMs: number('report-latency', HOUR_MS, 1),
      failureShare: number('failures', 1),
      callsAtOnce: readCount('calls-at-once', text('calls-at-once'), [0, MANY]),
      outages: (values.outage ?? []).map(readOutage),
    },
    workers: {
      ...readWorkers(text('workers')),
      scaleAt: number('scale-at', MANY, 1),
      scaleOn: readScaleOn(text('scale-on')),
      startMs: number('start', HOUR_MS),
      cpuMs: number('cpu', HOUR_MS),
      confirmMs: number('confirm', HOUR_MS),
    },
    settings: settingsOf(given),
  };
}

function readWorkers(text: string): Pick<WorkersModel, 'min' | 'max'> {
  const [, min = '', max = min] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (Number(min) >= 1 && Number(max) >= Number(min)) return { min: Number(min), max: Number(max) };
  throw new Error(`--workers takes a number, or the least and the most, as in 2-10; not "${text}"`);
}

function readScaleOn(text: string): WorkersModel['scaleOn'] {
  if (text === 'all' || text === 'ready') return text;
  throw new Error(`--scale-on takes all or ready, and not "${text}"`);
}

/** The variants of a scenario; a single one without a name if nothing is varied. */
function variantsOf(vary: string | undefined): readonly { name: string; varied: Given }[] {
  if (vary === undefined) return [{ name: '', varied: {} }];
  const [[name, values] = ['', '']] = Object.entries(readSetting('vary', vary));
  return values.split('/').map((value) => ({ name: `${name}=${value}`, varied: { [name]: value } }));
}

/** @throws Error that names the setting which was probably meant */
function readSetting(option: string, text: string): Given {
  const [, name = '', value = ''] = /^([^=]*)=(.+)$/.exec(text) ?? [];
  if (SIMULATED_SETTINGS.some((known) => known === name)) return { [name]: value };
  throw new Error(
    `--${option} takes a setting that the simulation follows, as in CIRCUIT_OPEN_MS=10000; not "${text}" (did you mean ${closest(name, [...SIMULATED_SETTINGS])}?)`,
  );
}

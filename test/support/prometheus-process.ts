import { join } from 'node:path';

import { parse, stringify } from 'yaml';

import { freePorts, isAnswered } from '../../scripts/network.ts';
import { root } from '../../scripts/root.ts';
import { read } from '../docs/markdown.ts';
import { Program } from '../../scripts/processes/program.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

/** The programs of Debian; if they are missing, install the package prometheus. */
const PROMETHEUS = '/usr/bin/prometheus';
export const PROMTOOL = '/usr/bin/promtool';
/** The address of the runbook in its alerts. */
export const RUNBOOK_URL = 'https://docs.example/runbook.md';

interface PrometheusAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
}

interface QueriedSeries {
  readonly metric: Readonly<Record<string, string>>;
}

export interface RangedSeries extends QueriedSeries {
  /** Pairs of seconds since the epoch and a number as Prometheus formats it, including `NaN` and `+Inf`. */
  readonly values: readonly (readonly [atSeconds: number, value: string])[];
}

/** The time range of a query, in seconds since the epoch, with a step of one second. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The scrape targets, each with the host and port of its metrics. */
interface Scraped {
  readonly workers: readonly string[];
  readonly rabbitmq?: string;
  /** The prefix of the queues. Default: `poker`. */
  readonly prefix?: string;
}

interface Config {
  readonly global: object;
  readonly scrape_configs: readonly { readonly job_name: string }[];
}

/** A Prometheus on loopback with the configuration and the rules of deploy/ that scrapes once a second. */
export class PrometheusProcess extends Program {
  readonly url: string;
  readonly #folder: TemporaryFolder;

  private constructor(url: string, folder: TemporaryFolder, args: readonly string[]) {
    super(PROMETHEUS, args, { PATH: process.env['PATH'], RUNBOOK_URL });
    this.url = url;
    this.#folder = folder;
  }

  static async scraping(scraped: Scraped): Promise<PrometheusProcess> {
    const [port = 0] = await freePorts(1);
    const folder = temporaryFolder();
    const config = folder.write('prometheus.yml', configFor(scraped));
    const started = new PrometheusProcess(`http://127.0.0.1:${port}`, folder, [
      `--config.file=${config}`,
      // Prometheus 3 needs no flag for this.
      '--enable-feature=expand-external-labels',
      `--storage.tsdb.path=${join(folder.path, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]);
    await started.until('become ready', () => isAnswered(`${started.url}/-/ready`));
    return started;
  }

  async alerts(): Promise<readonly PrometheusAlert[]> {
    return ((await this.#api('alerts')) as { alerts: PrometheusAlert[] }).alerts;
  }

  async query(expression: string): Promise<readonly QueriedSeries[]> {
    const answer = await this.#api(`query?query=${encodeURIComponent(expression)}`);
    return (answer as { result: QueriedSeries[] }).result;
  }

  async queryRange(expression: string, { start, end }: Range): Promise<readonly RangedSeries[]> {
    const range = `start=${start}&end=${end}&step=1`;
    const answer = await this.#api(`query_range?query=${encodeURIComponent(expression)}&${range}`);
    return (answer as { result: RangedSeries[] }).result;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }

  async #api(path: string): Promise<unknown> {
    const response = await fetch(`${this.url}/api/v1/${path}`);
    const { status, data, error } = (await response.json()) as Record<string, unknown>;
    if (status !== 'success') throw new Error(`${path}: ${String(error)}`);
    return data;
  }
}

/** Returns the configuration of deploy/ without Alertmanager, with these targets and a short interval. */
function configFor({ workers, rabbitmq, prefix = 'poker' }: Scraped): string {
  const text = read('deploy/prometheus/prometheus.yml').replace('poker\\..+', `${prefix}\\..+`);
  const { scrape_configs: scrapes, global } = parse(text) as Config;
  const targetsOf = (job: string) => (job === 'poker-bridge' ? workers : [rabbitmq].filter(Boolean));
  return stringify({
    global: { ...global, scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [join(root, 'deploy', 'prometheus', 'alerts.yml')],
    scrape_configs: scrapes.map((scrape) => ({
      ...scrape,
      dns_sd_configs: [],
      static_configs: [{ targets: targetsOf(scrape.job_name) }],
    })),
  });
}

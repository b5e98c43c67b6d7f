import { parse, stringify } from 'yaml';

import { read } from '../../docs/markdown.ts';
import type { Rule } from '../../deploy/alerts-file.ts';
import { Program } from '../../support/worker-process.ts';
import { PROMTOOL } from '../../support/prometheus-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { render } from './render.ts';

interface AlertsTest {
  readonly external_labels?: { readonly runbook?: string };
  readonly input_series: { series: string }[];
  readonly alert_rule_test: {
    exp_alerts: { exp_labels: object; exp_annotations: Record<string, string> }[];
  }[];
}

/** The chart's PrometheusRule, as a file of rules. */
export async function alertsFile(values: object): Promise<string> {
  return stringify((await render(values)).find(({ kind }) => kind === 'PrometheusRule')?.spec);
}

export async function alertsOf(values: object): Promise<readonly Rule[]> {
  const { groups } = parse(await alertsFile(values)) as { groups: { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

/**
 * Runs deploy/prometheus/alerts.test.yml on rules of the chart with the prefix `cards`.
 *
 * @param labels of every worker's series, and expected of every alert
 * @returns what promtool says. @throws Error with what it says if a test fails
 */
export async function testAlerts(rules: string, labels: Readonly<Record<string, string>>): Promise<string> {
  const file = parse(read('deploy/prometheus/alerts.test.yml').replaceAll('poker.', 'cards.')) as {
    tests: AlertsTest[];
  };
  const runbook = /https:\S+(?=#pokernoworkerready)/.exec(rules)?.[0] ?? '';
  for (const { input_series: inputs, alert_rule_test: checks } of file.tests) {
    for (const input of inputs) {
      const own = input.series.startsWith('rabbitmq_') ? { namespace: 'rabbitmq' } : labels;
      const matchers = Object.entries(own).map(([name, value]) => `${name}="${value}", `);
      input.series = input.series.replace('{', `{${matchers.join('')}`);
    }
    for (const expected of new Set(checks.flatMap(({ exp_alerts }) => exp_alerts))) {
      Object.assign(expected.exp_labels, labels);
      const { runbook_url: link = '' } = expected.exp_annotations;
      expected.exp_annotations['runbook_url'] = runbook + link.slice(link.indexOf('#'));
    }
  }
  using folder = temporaryFolder();
  folder.write('alerts.yml', rules);
  const test = folder.write('alerts.test.yml', stringify(file));
  const { code, stdout, stderr } = await new Program(PROMTOOL, ['test', 'rules', test]).result;
  if (code !== 0) throw new Error(stdout + stderr);
  return stdout;
}

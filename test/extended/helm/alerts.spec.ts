import { describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';

import { readRules, type Rule } from '../../deploy/alerts-file.ts';
import { read } from '../../docs/markdown.ts';
import { Program } from '../../../scripts/processes/program.ts';
import { PROMTOOL } from '../../support/prometheus-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { COMPLETE, MINIMUM, render } from './render.ts';

interface AlertsTest {
  readonly name: string;
  readonly external_labels?: { readonly runbook?: string };
  readonly input_series: { series: string }[];
  readonly alert_rule_test: {
    exp_alerts: { exp_labels: object; exp_annotations: Record<string, string> }[];
  }[];
}

type Labels = Readonly<Record<string, string>>;

describe('the alerts of the Helm chart', () => {
  it('link to the runbook, and include those of RabbitMQ only if brokerMatchers is set', async () => {
    const { runbookUrl } = COMPLETE.prometheusRule;
    const rules = await alertsOf(COMPLETE);
    const links = rules.flatMap(({ annotations }) => annotations?.['runbook_url'] ?? []);
    expect(links).toContain(`${runbookUrl}#pokernoworkerready`);
    expect(links.filter((link) => !/^https:\/\/[\w./]+#[a-z]+$/.test(link))).toEqual([]);
    expect(rules.map(({ alert }) => alert)).toEqual(readRules().map(({ alert }) => alert));
    const others = await alertsOf({ ...MINIMUM, prometheusRule: { enabled: true, runbookUrl } });
    const missing = rules.filter(({ expr }) => !others.some((other) => other.expr === expr));
    expect(missing.map(({ alert }) => alert)).toEqual([
      'PokerBrokerAlarm',
      'PokerBrokerMetricsMissing',
      'PokerQueueLong',
      'PokerReportsQueueLong',
      'PokerKeptMessagesFull',
    ]);
  });

  it('pass the tests of deploy/prometheus for the series of their release only', async () => {
    const labels = { namespace: 'default', job: 'game-poker-bridge' };
    const rules = await alertsFile(COMPLETE);
    expect(await testAlerts(rules, labels)).toContain('SUCCESS');
    for (const other of [{ job: 'other' }, { namespace: 'other' }]) {
      const tried = testAlerts(rules, labels, {
        labels: { ...labels, ...other },
        only: 'one worker of two is not ready',
      });
      await expect(tried).rejects.toThrow(/alertname: PokerWorkerNotReady.*got:\s*\[\s*\]/s);
    }
  });

  it('do not mention a disabled lane', async () => {
    const on = (await alertsOf(COMPLETE)).find(({ alert }) => alert === 'PokerLaneNotConsuming');
    expect(on?.expr).toMatch(/"interactive".*"reports"/s);
    const values = { ...COMPLETE, lanes: { reports: { enabled: false } } };
    const off = (await alertsOf(values)).find(({ alert }) => alert === 'PokerLaneNotConsuming');
    expect(off?.expr).toMatch(/"interactive"/);
    expect(off?.expr).not.toMatch(/"reports"/);
    expect((await render(values)).filter(({ kind }) => kind === 'Deployment')).toHaveLength(1);
  });
});

async function alertsFile(values: object): Promise<string> {
  return stringify((await render(values)).find(({ kind }) => kind === 'PrometheusRule')?.spec);
}

async function alertsOf(values: object): Promise<readonly Rule[]> {
  const { groups } = parse(await alertsFile(values)) as { groups: { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

/**
 * Runs deploy/prometheus/alerts.test.yml against the rules of the chart, with the prefix `cards`.
 *
 * @param expected labels of every alert
 * @param labels of every worker's series; default: those of the alerts
 * @param only the name of a single test to run; default: all
 * @returns the output of promtool. @throws Error with that output if a test fails
 */
async function testAlerts(
  rules: string,
  expected: Labels,
  { labels = expected, only }: { readonly labels?: Labels; readonly only?: string } = {},
): Promise<string> {
  const file = parse(read('deploy/prometheus/alerts.test.yml').replaceAll('poker.', 'cards.')) as {
    tests: AlertsTest[];
  };
  file.tests = file.tests.filter(({ name }) => only === undefined || name === only);
  const runbook = /https:\S+(?=#pokernoworkerready)/.exec(rules)?.[0] ?? '';
  for (const { input_series: inputs, alert_rule_test: checks } of file.tests) {
    for (const input of inputs) {
      const own = input.series.startsWith('rabbitmq_') ? { namespace: 'rabbitmq' } : labels;
      const matchers = Object.entries(own).map(([name, value]) => `${name}="${value}", `);
      input.series = input.series.replace('{', `{${matchers.join('')}`);
    }
    for (const alert of new Set(checks.flatMap(({ exp_alerts }) => exp_alerts))) {
      Object.assign(alert.exp_labels, expected);
      const { runbook_url: link = '' } = alert.exp_annotations;
      alert.exp_annotations['runbook_url'] = runbook + link.slice(link.indexOf('#'));
    }
  }
  using folder = temporaryFolder();
  folder.write('alerts.yml', rules);
  const test = folder.write('alerts.test.yml', stringify(file));
  const { code, stdout, stderr } = await new Program(PROMTOOL, ['test', 'rules', test]).result;
  if (code !== 0) throw new Error(stdout + stderr);
  return stdout;
}

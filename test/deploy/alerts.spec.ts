import { describe, expect, it } from '@jest/globals';

import { ERROR_CODES } from '#contracts';

import { anchorsOf, codeSpansOf, itemsOf, read } from '../docs/markdown.ts';
import { readAlerts, readRules, readRuleTests } from './alerts-file.ts';
import { BROKER_SERIES, seriesIn, unknownIn, workerSeries } from './prometheus-queries.ts';

const rules = readRules();
const alerts = readAlerts();
const runbook = read('docs/runbook.md');
const series = new Map([...workerSeries(), ...BROKER_SERIES]);
const recorded = rules.flatMap(({ record }) => (record === undefined ? [] : [record]));

describe('deploy/prometheus/alerts.yml', () => {
  it.each(rules.map((rule) => [rule.alert ?? rule.record, rule] as const))(
    '%s queries series and labels that a worker or RabbitMQ exports',
    (_, { expr }) => {
      expect(seriesIn(expr)).not.toEqual([]);
      expect(unknownIn(expr, recorded)).toEqual([]);
    },
  );

  it.each(alerts.map((alert) => [alert.alert, alert] as const))(
    '%s has a severity, a summary, a description and a link to the runbook',
    (name, { labels, annotations }) => {
      expect(['page', 'ticket']).toContain(labels?.['severity']);
      expect(annotations).toEqual({
        summary: expect.stringMatching(/^\S.{5,80}[^.]$/),
        description: expect.stringMatching(/^\S.{30,300}\.$/s),
        runbook_url: `{{ or $externalLabels.runbook "docs/runbook.md" }}#${name.toLowerCase()}`,
      });
    },
  );

  it('counts every category as a failure, except those that are the fault of the caller', () => {
    const excluded = new Set(rules.flatMap(({ expr }) => expr.match(/category!~"([^"]*)"/)?.[1] ?? []));
    expect([...excluded]).toEqual(['invalid|rejected']);
    const categories = Object.values(ERROR_CODES).map(({ category }): string => category);
    expect(categories).toEqual(expect.arrayContaining(['invalid', 'rejected']));
  });

  it('names outcomes that exist', () => {
    const named = rules.flatMap(({ expr }) =>
      [...expr.matchAll(/outcome=~?"([^"]*)"/g)].flatMap(([, codes = '']) => codes.split('|')),
    );
    expect(named).not.toEqual([]);
    expect(named.filter((code) => !(code in ERROR_CODES))).toEqual([]);
  });
});

describe('deploy/prometheus/alerts.test.yml', () => {
  const checks = readRuleTests().flatMap((test) => test.alert_rule_test);

  it.each(alerts.map(({ alert }) => alert))('tests that %s fires, and that it does not', (name) => {
    const expected = checks.filter(({ alertname }) => alertname === name);
    expect(expected.some(({ exp_alerts }) => exp_alerts.length > 0)).toBe(true);
    expect(expected.some(({ exp_alerts }) => exp_alerts.length === 0)).toBe(true);
  });
});

describe('docs/runbook.md', () => {
  const entries = [...runbook.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);

  it('has an entry for each alert, in the same order', () => {
    const others = [
      'Without an alert',
      'Replacing a secret key',
      'Replacing other secrets',
      'Backup, and several regions',
    ];
    expect(entries).toEqual([...alerts.map(({ alert }) => alert), ...others]);
  });

  it.each(alerts)(
    'explains what $alert means, what to type first and what to do',
    ({ alert, annotations }) => {
      const items = itemsOf(runbook).filter(({ heading }) => heading === alert);
      expect(items.map(({ text }) => /^\*\*(\w+)\*\*: ./.exec(text)?.[1])).toEqual(['Means', 'First', 'Do']);
      const [, command = ''] = /^\*\*First\*\*: `([^`]+)`/.exec(items[1]?.text ?? '') ?? [];
      const isCommand = /^(poker-bridge|curl|rabbitmqctl|rabbitmq-diagnostics) /.test(command);
      expect([command, isCommand || seriesIn(command).some((name) => series.has(name))]).toEqual([
        command,
        true,
      ]);
      expect(anchorsOf(runbook)).toContain(annotations?.['runbook_url']?.split('#')[1]);
    },
  );

  it('queries series that a worker exports', () => {
    const queries = codeSpansOf(runbook).filter((span) => /\b(?:poker|process)_/.test(span));
    expect(queries).not.toEqual([]);
    expect(queries.flatMap((query) => seriesIn(query).filter((name) => !series.has(name)))).toEqual([]);
  });
});

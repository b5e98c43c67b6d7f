import { parse } from 'yaml';

import { read } from '../docs/markdown.ts';

export interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

type Alert = Rule & { readonly alert: string };

interface RuleTest {
  readonly alert_rule_test: readonly {
    readonly alertname: string;
    readonly exp_alerts: readonly unknown[];
  }[];
}

/** Every rule of deploy/prometheus/alerts.yml, in its order. */
export function readRules(): readonly Rule[] {
  const { groups } = parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

export function readAlerts(): readonly Alert[] {
  return readRules().filter((rule): rule is Alert => rule.alert !== undefined);
}

export function readRuleTests(): readonly RuleTest[] {
  return (parse(read('deploy/prometheus/alerts.test.yml')) as { tests: RuleTest[] }).tests;
}

import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { readAlerts } from '../deploy/alerts-file.ts';
import { AlertmanagerProcess } from '../support/alertmanager-process.ts';
import { until } from '../support/until.ts';

const alerts = readAlerts();
/** Alerts that fire in every incident in which players' commands fail. */
const FAILING = [
  'PokerErrorBudgetBurnsFast',
  'PokerErrorBudgetBurnsSlowly',
  'PokerQueueLong',
  'PokerPlayersWait',
];

type Labels = Readonly<Record<string, string>>;

const labelsOf = (name: string, labels: Labels): Labels => ({
  alertname: name,
  severity: alerts.find(({ alert }) => alert === name)?.labels?.['severity'] ?? '',
  ...labels,
});

describe('a real Alertmanager', () => {
  it.each([
    [
      'a dead operation',
      ['PokerCircuitOpen'],
      ['PokerCommandsFailing', 'PokerPlayersSlow', 'PokerRetryBudgetEmpty', 'PokerLanePaused', ...FAILING],
    ],
    ['a dead operation with few calls', ['PokerCommandsFailing'], ['PokerPlayersSlow', ...FAILING]],
    [
      'a wrong key',
      ['PokerMisconfigured'],
      ['PokerCommandsFailing', 'PokerSignatureDoubts', ...FAILING.slice(0, 2)],
    ],
    [
      'workers that are all down',
      ['PokerNoWorkerReady'],
      ['PokerWorkerNotReady', 'PokerLaneNotConsuming', 'PokerReportsQueueLong', ...FAILING],
    ],
    ['a memory alarm', ['PokerBrokerAlarm'], ['PokerBrokerBlocked', 'PokerCommandsFailing', ...FAILING]],
    ['a slow platform', ['PokerPlayersSlow'], ['PokerQueueLong', 'PokerPlayersWait', 'PokerCallsWasted']],
    ['a lane without a worker', ['PokerLaneNotConsuming'], ['PokerQueueLong', 'PokerPlayersWait']],
  ])(
    'sends one notification about %s, which names only its cause',
    async (_incident, causes, consequences) => {
      await using alertmanager = await AlertmanagerProcess.start();
      const { notifications } = alertmanager.receiver;
      const fired = [...causes, ...consequences].map((name) => labelsOf(name, { type: 'game.open' }));
      expect(fired.filter(({ severity }) => severity === '')).toEqual([]);
      // Another installation with the same symptoms, but without an alert for their cause.
      const other = labelsOf('PokerErrorBudgetBurnsFast', { namespace: 'other' });
      await alertmanager.fire([...fired, other]);
      await until('both installations were paged', () => notifications.length >= 2);
      // Alertmanager would have sent tickets in the same second.
      await sleep(1_500);
      const sent = notifications.map(({ receiver, alerts: own }) => [
        receiver,
        ...own.map(({ labels }) => labels['alertname']),
      ]);
      expect(sent.toSorted()).toEqual(
        [
          ['on-call', ...causes],
          ['on-call', 'PokerErrorBudgetBurnsFast'],
        ].toSorted(),
      );
    },
  );

  it('pages about a second type that fails while the circuit of the first one is open', async () => {
    await using alertmanager = await AlertmanagerProcess.start();
    const { notifications } = alertmanager.receiver;
    await alertmanager.fire([
      labelsOf('PokerCircuitOpen', { type: 'game.open' }),
      labelsOf('PokerCommandsFailing', { type: 'game.open' }),
      labelsOf('PokerCommandsFailing', { type: 'session.create' }),
    ]);
    await until('people were paged', () => notifications.length > 0);
    const sent = notifications[0]?.alerts ?? [];
    expect(sent.map(({ labels }) => `${labels['alertname']} ${labels['type']}`).toSorted()).toEqual([
      'PokerCircuitOpen game.open',
      'PokerCommandsFailing session.create',
    ]);
  });
});

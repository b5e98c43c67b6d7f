import { expect, it } from '@jest/globals';

import { readSettings } from '#settings';

import { helpLines, OPTIONS } from './options.ts';
import { readScenarios } from './read-scenarios.ts';
import { scenarioOf } from './scenario.fixture.ts';
import { SIMULATED_SETTINGS } from './scenario.ts';

it('has the defaults of the worker, but for what is set', () => {
  const platform = 'https://platform.example';
  const worker = readSettings({
    PLATFORM_BASE_URL: platform,
    PLATFORM_API_URL: platform,
    PLATFORM_CLIENT_ID: 'c',
  });
  const { settings } = scenarioOf('--set CIRCUIT_OPEN_MS=1234 --set REPORTS_RETRY_DELAYS_MS=10,20');
  const set = { CIRCUIT_OPEN_MS: 1_234, REPORTS_RETRY_DELAYS_MS: [10, 20] };
  for (const name of SIMULATED_SETTINGS)
    expect([name, settings[name]]).toEqual([name, { ...worker, ...set }[name]]);
});

it('reads what happens when', () => {
  const { load, platform, workers } = scenarioOf(
    '--surge 10-20:3 --burst 5:100 --outage 30-40:slow=4:game.open --outage 50-60:silent --workers 2-10',
  );
  expect(load.surges).toEqual([{ fromMs: 10_000, toMs: 20_000, factor: 3 }]);
  expect(load.bursts).toEqual([{ atMs: 5_000, commands: 100 }]);
  expect(platform.outages).toEqual([
    { fromMs: 30_000, toMs: 40_000, kind: 'slow', factor: 4, operation: 'game.open' },
    { fromMs: 50_000, toMs: 60_000, kind: 'silent', factor: 1 },
  ]);
  expect(workers).toMatchObject({ min: 2, max: 10 });
});

it('makes a scenario of each value of a setting', () => {
  const { scenarios } = readScenarios(['--vary', 'INTERACTIVE_PREFETCH=10/2048']);
  expect(scenarios.map(({ name, scenario }) => [name, scenario.settings.INTERACTIVE_PREFETCH])).toEqual([
    ['INTERACTIVE_PREFETCH=10', 10],
    ['INTERACTIVE_PREFETCH=2048', 2_048],
  ]);
});

it.each([
  ['--rat 5', 'there is no --rat; did you mean --rate? --help lists all'],
  ['--rate many', '--rate takes a number from 0 to 1000000, and not "many"'],
  ['--games 2', '--games takes a number from 0 to 1, and not "2"'],
  ['--pages 1.5', '--pages takes a whole number, and not "1.5"'],
  ['--latency 500 --latency-p99 100', '--latency-p99 takes a number from 500 to 3600000, and not "100"'],
  ['--outage 60:errors', '--outage takes seconds from and to'],
  ['--outage 90-60:errors', '--outage takes seconds from and to'],
  ['--outage 60-90:eror', 'did you mean errors?'],
  ['--outage 60-90:errors=3', '--outage knows refused, errors, silent, slow'],
  ['--outage 60-90:errors:game.opne', 'there is no command "game.opne" (did you mean game.open?)'],
  ['--surge 60-90:x', '--surge takes a number from 0 to 1000, and not "x"'],
  ['--burst 60', '--burst takes a second and a number of commands, as in 60:2000; not "60"'],
  ['--workers 5-2', '--workers takes a number, or the least and the most, as in 2-10; not "5-2"'],
  ['--scale-on some', '--scale-on takes all or ready, and not "some"'],
  ['--set CIRCUIT_OPN_MS=3', 'did you mean CIRCUIT_OPEN_MS?'],
  ['--set CIRCUIT_OPEN_MS=x', 'CIRCUIT_OPEN_MS: must be an integer from 1 to 86400000'],
  ['--vary EVENTS=all/none', '--vary takes a setting that the simulation follows'],
  ['--out plots.pdf', '--out takes a file that ends in .html or .svg'],
])('says what is wrong with %s', (commandLine, message) => {
  expect(() => readScenarios(commandLine.split(' '))).toThrow(message);
});

it('explains every option', () => {
  for (const name of Object.keys(OPTIONS)) expect(helpLines().join('\n')).toContain(`--${name} `);
});

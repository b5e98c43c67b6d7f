import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { folderForAll } from '../../support/suite-service.ts';
import { runOnTerminal } from '../../support/terminal.ts';
import { sandboxedForAll } from '../commands/sandboxed-service.ts';
import { INTERNAL_KEY, KeptMessages } from './kept-messages.ts';
import { PROGRAM } from './run-cli.ts';

const RECORDS = 40;

describe('the command line on a terminal', () => {
  const file = join(folderForAll().path, 'd.csv');
  const sandboxed = sandboxedForAll({
    sandbox: { SANDBOX_REPORT_RECORDS: String(RECORDS) },
    worker: { INTERNAL_KEY, CURRENCY_PRECISIONS: 'EUR=2,USD=4,GBP=2' },
  });
  const kept = new KeptMessages(sandboxed.service);
  beforeAll(() => sandboxed.platform.fault({ kind: 'latency', fixedMs: 100, operation: 'ad-hoc-report' }));

  const cli = (line: string, columns: number, variables = {}, keys?: string) => {
    const command = [process.execPath, ...PROGRAM, ...line.split(' ')];
    return runOnTerminal(command, columns, { ...kept.variables, ...variables }, keys);
  };

  it('report shows its progress, and leaves only the summary', async () => {
    const line = `report ad-hoc --day 2026-03-01 --per-page 4 --force --out ${file}`;
    const { written, lines } = await cli(line, 40);
    expect(written).toMatch(/\r(\[=+ +\] )?\d+ of 40 records, \d+ a second/);
    expect(lines.join('').trim()).toMatch(new RegExp(`^${RECORDS} records of 10 pages in ${file}report `));
  });

  it('redrive shows its progress, and leaves only its plan and result', async () => {
    await kept.put(0, 30);
    const { written, lines } = await cli('dead-letters redrive --all --yes --rate 20', 40);
    expect(written).toMatch(/\r(\[=+ +\] )?\d+ of 30 messages/);
    expect(lines.filter((line) => /a second|\[=/.test(line))).toEqual([]);
    expect(lines.filter((line) => line !== '').at(-1)).toBe('30 redriven, 0 left');
  });

  it.each([
    ['Ctrl-C', '\u0003', 'nothing was changed'],
    ['n', 'n\r', 'nothing was changed'],
    ['y', 'y\r', '3 discarded, 0 left'],
  ])('output after an answer starts below the question: %s', async (_, keys, expected) => {
    await sandboxed.caller.channel.purgeQueue(sandboxed.service.name('dead-letters'));
    await kept.put(0, 3);
    const { lines } = await cli('dead-letters discard --all', 80, {}, keys);
    const whole = lines.filter((line) => line !== '');
    expect(whole.at(-2)).toMatch(/^Discard 3 dead letters\? \[y\/N\]/);
    expect(whole.at(-1)).toBe(expected);
  });

  it('lines for programs are not mixed with a progress bar', async () => {
    await kept.put(0, 30);
    const { written, lines } = await cli('dead-letters redrive --all --yes --rate 20 --json', 200);
    expect(written).not.toContain('a second');
    expect(lines.filter((line) => line.startsWith('{"id":"letter-'))).toHaveLength(30);
  });

  it.each([
    ['the terminal', {}, true],
    ['NO_COLOR', { NO_COLOR: '1' }, false],
  ])('decides on colours by %s', async (_, variables, isColoured) => {
    const { written } = await cli('doctor', 80, variables);
    expect(stripVTControlCharacters(written) !== written).toBe(isColoured);
    expect(written).toContain('broker');
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from '@jest/globals';

import { root } from '../../scripts/root.ts';
import { breakingChanges, contractLines, RELEASED_LINES, withAdditions } from './compatibility.ts';

const record = readFileSync(join(root, RELEASED_LINES), 'utf8');
const released = record.trimEnd().split('\n');

it('the code meets every recorded requirement of callers, and records every addition', () => {
  expect(breakingChanges(released, contractLines())).toEqual([]);
  expect(released).toEqual(contractLines());
});

it.each([
  'name poker.commands',
  'lane of game.open: interactive',
  'code NICKNAME_TAKEN rejected',
  'game.open',
  'game.open /player/nick',
  'session.create /authType enum "internal"',
  'report.page /totalCount type "integer"',
])('a caller breaks without the line %s', (line) => {
  expect(released).toContain(line);
  const changes = [`gone: ${line}`];
  expect(
    breakingChanges(
      released,
      released.filter((each) => each !== line),
    ),
  ).toEqual(changes);
});

it.each([
  'session.create /region required',
  'session.create /nick required',
  'session.create /nick minLength 1',
])('a caller breaks by the new line %s, and nothing is recorded', (line) => {
  expect(breakingChanges(released, [...released, line])).toEqual([`new: ${line}`]);
  expect(withAdditions(record, [...released, line])).toBe(record);
});

it.each([
  'code NEW rejected',
  'session.destroy /userId required',
  'session.create /region',
  'session.create /region/name required',
  'session.create /authType enum "other"',
  'session.created /region required',
])('a caller accepts the new line %s, which is recorded', (line) => {
  expect(breakingChanges(released, [...released, line])).toEqual([]);
  expect(withAdditions(record, [...released, line])).toBe(`${record}${line}\n`);
});

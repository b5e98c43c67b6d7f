import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { root } from '../../scripts/root.ts';
import {
  breakingChanges,
  type ContractOutline,
  contractOutline,
  RELEASED_OUTLINE,
  withAdditions,
} from '../../scripts/contract-documents/compatibility.ts';

const record = readFileSync(join(root, RELEASED_OUTLINE), 'utf8');
const released = JSON.parse(record) as ContractOutline;

/** The outline with one thing changed. */
function altered(change: (outline: any) => void): ContractOutline {
  const outline = structuredClone(released);
  change(outline);
  return outline;
}

describe('version-1.json', () => {
  it('is what the code says: nothing that a caller relies on has changed, and additions are in it', () => {
    expect(breakingChanges(released, contractOutline())).toEqual([]);
    expect(released).toEqual(contractOutline());
  });
});

describe('what `npm run contract` records', () => {
  const recorded = async (change: (outline: any) => void) =>
    JSON.parse(await withAdditions(record, altered(change))) as ContractOutline;

  it('are additions', async () => {
    const added = await recorded((outline) => (outline.messages['session.destroyed'] = {}));
    expect(added.messages).toEqual({ ...released.messages, 'session.destroyed': {} });
    expect(await withAdditions(record, released)).toBe(record);
  });

  it('is nothing if a change would break a caller, whatever was added besides', async () => {
    const broken = (outline: any) => {
      outline.codes.NEW = 'rejected';
      outline.lanes['game.open'] = 'reports';
    };
    expect(await withAdditions(record, altered(broken))).toBe(record);
  });
});

describe('what breaks a caller', () => {
  const members = (message: string) => (outline: any) => outline.messages[message];

  it.each<[string, (outline: any) => void]>([
    ['poker.commands is gone', (outline) => outline.names.shift()],
    ['game.open was interactive and is reports', (outline) => (outline.lanes['game.open'] = 'reports')],
    ['NICKNAME_TAKEN was rejected and is gone', (outline) => delete outline.codes.NICKNAME_TAKEN],
    [
      'OVERLOADED was unavailable retryable and is unavailable',
      (outline) => (outline.codes.OVERLOADED = 'unavailable'),
    ],
    ['game.open is gone', (outline) => delete outline.messages['game.open']],
    [
      'session.create /currency is required',
      (outline) => (members('session.create')(outline)['/currency'].required = true),
    ],
    [
      'session.create /region is required',
      (outline) => (members('session.create')(outline)['/region'] = { required: true, rules: {} }),
    ],
    [
      'report.ad-hoc.fetch /perPage takes less by maximum',
      (outline) => (members('report.ad-hoc.fetch')(outline)['/perPage'].rules.maximum = 500),
    ],
    [
      'session.create /authType takes less by enum',
      (outline) => members('session.create')(outline)['/authType'].rules.enum.pop(),
    ],
    [
      'session.create /nick takes less by pattern',
      (outline) => (members('session.create')(outline)['/nick'].rules.pattern = '^a$'),
    ],
    ['session.created /auth is gone', (outline) => delete members('session.created')(outline)['/auth']],
    [
      'command.failed /attempts may be absent',
      (outline) => (members('command.failed')(outline)['/attempts'].required = false),
    ],
    [
      'report.page /totalCount has another type',
      (outline) => (members('report.page')(outline)['/totalCount'].rules.type = 'string'),
    ],
  ])('%s', (line, change) => {
    expect(breakingChanges(released, altered(change))).toEqual([line]);
  });

  it.each<[string, (outline: any) => void]>([
    ['a new code', (outline) => (outline.codes.NEW = 'rejected')],
    [
      'a new member that may be absent',
      (outline) => (members('session.create')(outline)['/x'] = { required: false, rules: {} }),
    ],
    [
      'a new member of a reply',
      (outline) => (members('session.created')(outline)['/x'] = { required: true, rules: {} }),
    ],
    ['a longer text', (outline) => (members('session.create')(outline)['/nick'].rules.maxLength = 300)],
    [
      'a member that is no longer required',
      (outline) => (members('session.create')(outline)['/userId'].required = false),
    ],
    ['one more value', (outline) => members('session.create')(outline)['/authType'].rules.enum.push('other')],
  ])('not %s', (_name, change) => {
    expect(breakingChanges(released, altered(change))).toEqual([]);
  });
});

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
  it.each<[string, (messages: any, outline: any) => void]>([
    ['poker.commands is gone', (_, outline) => outline.names.shift()],
    ['game.open was interactive and is reports', (_, outline) => (outline.lanes['game.open'] = 'reports')],
    ['NICKNAME_TAKEN is gone', (_, outline) => delete outline.codes.NICKNAME_TAKEN],
    ['game.open /player/nick is gone', (messages) => delete messages['game.open']['/player/nick']],
    [
      'session.create /region is required',
      (messages) => (messages['session.create']['/region'] = { required: true, rules: {} }),
    ],
    [
      'session.create /nick takes less by minLength',
      (messages) => (messages['session.create']['/nick'].rules.minLength = 1),
    ],
    [
      'session.create /authType rules enum internal is gone',
      (messages) => (messages['session.create']['/authType'].rules.enum = ['external']),
    ],
    [
      'report.page /totalCount rules type was integer and is string',
      (messages) => (messages['report.page']['/totalCount'].rules.type = 'string'),
    ],
  ])('%s', (line, change) => {
    expect(
      breakingChanges(
        released,
        altered((outline) => change(outline.messages, outline)),
      ),
    ).toEqual([line]);
  });

  it.each<[string, (messages: any, outline: any) => void]>([
    ['a new code', (_, outline) => (outline.codes.NEW = 'rejected')],
    [
      'a new member that may be absent',
      (messages) => (messages['session.create']['/x'] = { required: false, rules: {} }),
    ],
    [
      'a new member of a reply',
      (messages) => (messages['session.created']['/x'] = { required: true, rules: {} }),
    ],
    ['one more value', (messages) => messages['session.create']['/authType'].rules.enum.push('other')],
  ])('not %s', (_name, change) => {
    expect(
      breakingChanges(
        released,
        altered((outline) => change(outline.messages, outline)),
      ),
    ).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { readSettings, SETTINGS, VERSION } from './settings.ts';
import { faultsOf as thrownBy, reading, REQUIRED } from './settings.fixture.ts';

const FILES: Readonly<Record<string, string>> = {
  'edited.txt': 'from-file\n',
  'windows.txt': 'from-file\r\n',
  'blanks.txt': ' from-file \n\n',
  'marked.txt': '\uFEFFfrom-file\n',
  'empty.txt': '',
  'canary.txt': 'CANARY',
};

const readText = reading(FILES);
const read = (environment: NodeJS.ProcessEnv) => readSettings({ ...REQUIRED, ...environment }, readText);
const faultsOf = (environment: NodeJS.ProcessEnv) => thrownBy(() => readSettings(environment, readText));

describe('readSettings', () => {
  it('treats an empty variable as unset, including the path of a secret', () => {
    const names = Object.keys(SETTINGS)
      .filter((name) => !(name in REQUIRED))
      .flatMap((name) => [name, `${name}_FILE`]);
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    expect(read(empty)).toEqual(read({}));
  });

  it('ignores unknown variables and returns a frozen object', () => {
    expect(read({ HOME: '/', AMQP_URLS: 'x', HTTP_PORT_FILE: 'missing' })).toEqual(read({}));
    expect(Object.isFrozen(read({}))).toBe(true);
  });

  it.each([
    ['without a trailing line break', 'edited.txt', 'from-file'],
    ['without a trailing Windows line break', 'windows.txt', 'from-file'],
    ['without a byte order mark', 'marked.txt', 'from-file'],
    ['with all other white space', 'blanks.txt', ' from-file \n'],
  ])('reads a secret from a file %s', (_, path, expected) => {
    expect(read({ PLATFORM_SECRET_KEY_FILE: path }).PLATFORM_SECRET_KEY).toBe(expected);
  });

  it('removes only a trailing line break and a byte order mark from a value', () => {
    const edge = fc.constantFrom('', '\uFEFF');
    const lineEnd = fc.constantFrom('', '\n', '\r', '\r\n', '\uFEFF');
    const text = fc.string().filter((each) => !/^$|^\uFEFF|[\r\n\uFEFF]$/.test(each));
    fc.assert(
      fc.property(edge, text, lineEnd, (mark, value, end) => {
        expect(read({ PLATFORM_CLIENT_ID: mark + value + end }).PLATFORM_CLIENT_ID).toBe(value);
      }),
    );
    expect(read({ PLATFORM_BASE_URL: `${REQUIRED.PLATFORM_BASE_URL}\r\n`, AMQP_PREFIX: '\n' })).toEqual(
      read({}),
    );
  });

  it.each([
    [
      'PLATFORM_SECRET_KEY',
      { PLATFORM_SECRET_KEY: 'CANARY', PLATFORM_SECRET_KEY_FILE: 'canary.txt' },
      /set twice/,
    ],
    ['PLATFORM_SECRET_KEY_FILE', { PLATFORM_SECRET_KEY_FILE: 'missing' }, /file cannot be read \(ENOENT\)$/],
    ['PLATFORM_SECRET_KEY_FILE', { PLATFORM_SECRET_KEY_FILE: 'empty.txt' }, /file is empty$/],
    ['AMQP_URL_FILE', { AMQP_URL_FILE: 'canary.txt' }, /must be amqp or amqps/],
  ])('reports an invalid secret under the variable that was set: %s', (name, environment, reason) => {
    const faults = faultsOf({ ...REQUIRED, ...environment });
    expect(faults).toEqual([expect.stringMatching(reason)]);
    expect(faults[0]).toMatch(new RegExp(`^${name}: `));
    expect(faults[0]).not.toContain('CANARY');
  });

  it.each([
    ['PLATFORM_EXTRA_MEMBERS', 'game.open/player/nick', /must not name a member of the interface document/],
    ['PLATFORM_EXTRA_MEMBERS', 'session.create/clientId', /must not name a member/],
    ['PLATFORM_EXTRA_MEMBERS', 'game.open/city', /must name members of session.create, game.open/],
    ['PLATFORM_EXTRA_MEMBERS', 'game.open/player/10', /must name members/],
    ['PLATFORM_USER_AGENT', 'a\nb', /must be printable ASCII/],
    ['PLAYER_COUNTRY_MEMBER', 'nick', /must not be the name of another member/],
  ])('refuses %s=%j', (name, value, reason) => {
    expect(faultsOf({ ...REQUIRED, [name]: value })).toEqual([expect.stringMatching(reason)]);
  });

  it('exports the version of package.json', () => {
    const path = new URL('../../../package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
    expect(VERSION).toBe(version);
  });

  /** Settings that accept any text, or name a file that is read later. */
  const UNREFUSED =
    /_TLS_(CA|CERT|KEY)$|^(OPERATORS|CALLERS)_FILE$|_HOSTS?$|^PLATFORM_(CLIENT_ID|CLIENT_KEY|SECRET_KEY|URL_SCHEMES|USER_AGENT)$|^PLAYER_COUNTRY_MEMBER$|^OTEL_/;
  const refused = Object.keys(SETTINGS).filter((name) => !UNREFUSED.test(name));

  it.each(refused)('reports an invalid value of %s without quoting it', (name) => {
    // `CANARY` is a valid prefix.
    const value = name === 'AMQP_PREFIX' ? 'C/A/N/A/R/Y' : 'CANARY';
    const faults = faultsOf({ ...REQUIRED, [name]: value });
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name}: must `))]);
    expect(faults[0]).not.toContain(value);
  });
});

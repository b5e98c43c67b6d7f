import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { FAULTS } from '../../../apps/sandbox/src/faults/faults.ts';
import { startSandboxUnderTest } from './sandbox-under-test.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = readFileSync(`${root}/docs/sandbox.md`, 'utf8');
const section = (title: string) => page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
const sources = readdirSync(`${root}/apps/sandbox/src`, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
  .map((name) => readFileSync(`${root}/apps/sandbox/src/${name}`, 'utf8'))
  .join('\n');
const matches = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, found]) => found))].sort();

describe('docs/sandbox.md', () => {
  it('lists every variable that the code reads, and no other', () => {
    const conventions = [
      'SIGNATURE_SCALARS',
      'SIGNATURE_OPEN_GAME_CLIENT',
      'SIGNATURE_JSON_STRINGS',
      'SIGNATURE_JSON_PLACEMENT',
      'SIGNATURE_EXCLUDE',
      'SIGNATURE_SCHEME_V3',
      'RAKE_PARAMETERS_IN',
      'PLAYER_COUNTRY_MEMBER',
    ].map((name) => `SANDBOX_${name}`);
    const read = matches(sources, /'(SANDBOX_\w+[A-Z])'/g);
    const listed = matches(section('Settings'), /`(SANDBOX_\w+)`/g);
    expect(listed).toEqual([...new Set([...read, ...conventions, 'SANDBOX_SECRET_KEY_FILE'])].sort());
  });

  it('lists every kind of fault, and no other', () => {
    expect(matches(section('Faults'), /^\| `([a-z-]+)`/gm)).toEqual(Object.keys(FAULTS).sort());
  });

  it('lists requests of the control API that there are', async () => {
    await using sandbox = await startSandboxUnderTest();
    const requests = matches(section('Control'), /`([A-Z]+ \/sandbox\/[^`]+)`/g);
    expect(requests).toHaveLength(13);
    for (const request of requests as string[]) {
      const [method, path] = request.split(' /sandbox/') as [string, string];
      const received = await sandbox.control(method, path.replace(/\{\w+\}/, '1'));
      expect(received.status).toBeLessThan(500);
      // the 404 of a missing resource has another text than that of a missing route
      if (received.status === 404) expect(received.json.detail).not.toMatch(/^Cannot /);
    }
  });

  it('shows defaults that are those of the code', () => {
    const rows = section('Settings').matchAll(/^\| (`SANDBOX_[^|]+)\| ([^|]+) \|/gm);
    const documented = Object.fromEntries(
      [...rows].flatMap(([, names = '', values = '']) => {
        const defaults = values.includes('`,') || /^\d+, /.test(values) ? values.split(', ') : [values];
        return [...names.matchAll(/`(\w+)`/g)].map(([, name], index) => [
          name,
          (defaults[index] ?? values).replaceAll('`', '').trim(),
        ]);
      }),
    );
    expect(documented).toMatchObject({ SANDBOX_PORT: '3100', SANDBOX_CURRENCIES: 'USD,EUR,GBP' });
    const numbers = Object.entries(documented).filter(([, value]) => /^\d+$/.test(value as string));
    expect(numbers.length).toBeGreaterThan(8);
    for (const [name, value] of numbers) {
      const [, fallback] = new RegExp(`'${name}',\\s*([\\w.]+)`).exec(sources) ?? [];
      expect([name, fallback === 'HOUR_MS' ? '3600000' : fallback?.replaceAll('_', '')]).toEqual([
        name,
        value,
      ]);
    }
  });
});

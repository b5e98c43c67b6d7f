import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from '@jest/globals';

import { SETTINGS } from '#settings';

import { answerJson, sessionDocument } from '../../support/platform-stub.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { CANARY, refusalOf, refusing } from './refusal-of.ts';

/** Every setting that is a number, or a list of numbers; those of OpenTelemetry are read only while it is on. */
const NUMBERS = Object.entries(SETTINGS)
  .filter(([name, { read }]) => !name.startsWith('OTEL_') && isNumber(read))
  .map(([name]) => name);
const BAD_NUMBERS = ['-1', '1.5', '1e3', '0x10', '999999999999'];

function isNumber(read: (text: string) => unknown): boolean {
  try {
    read('1.5');
  } catch (error) {
    return /must be an integer/.test((error as Error).message);
  }
  return false;
}

const folder = mkdtempSync(join(tmpdir(), 'worker-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(content: string): string {
  const path = join(folder, `${CANARY}-${Math.random().toString(36).slice(2)}`);
  writeFileSync(path, content);
  return path;
}

describe('settings that cannot be used', () => {
  it('are all reported at once if they are missing, and an empty variable counts as unset', async () => {
    const missing = { PLATFORM_BASE_URL: '', PLATFORM_API_URL: '', PLATFORM_CLIENT_ID: '', LANES: '' };
    expect(await refusalOf(missing)).toMatchObject(
      refusing('PLATFORM_API_URL', 'PLATFORM_BASE_URL', 'PLATFORM_CLIENT_ID'),
    );
  });

  it('are all reported at once by name, never with a value', async () => {
    const words = {
      AMQP_URL: `http://${CANARY}:${CANARY}@127.0.0.1`,
      AMQP_PREFIX: `amq.${CANARY}`,
      LANES: `interactive,${CANARY}`,
      PLATFORM_BASE_URL: `https://user:${CANARY}@api.example`,
      PLATFORM_API_URL: `${CANARY}:no-url`,
      CURRENCY_PRECISIONS: `USD=2,${CANARY}`,
      EVENTS: CANARY,
      LOG_LEVEL: CANARY,
      SIGNATURE_SCALARS: CANARY,
      SIGNATURE_OPEN_GAME_CLIENT: CANARY,
      SIGNATURE_JSON_STRINGS: CANARY,
      SIGNATURE_SCHEME_V3: CANARY,
      RAKE_PARAMETERS_IN: CANARY,
      REDIS_URL: `ftp://:${CANARY}@127.0.0.1`,
    };
    const numbers = Object.fromEntries(NUMBERS.map((name) => [name, CANARY]));
    expect(await refusalOf({ ...words, ...numbers })).toMatchObject(
      refusing(...Object.keys(words), ...NUMBERS),
    );
  });

  it('include numbers that are negative, fractional or far too large', async () => {
    const numbers = NUMBERS.map((name, index) => [name, BAD_NUMBERS[index % BAD_NUMBERS.length]]);
    expect(await refusalOf(Object.fromEntries(numbers))).toMatchObject(refusing(...NUMBERS));
  });

  it('are addresses that would be used in cleartext', async () => {
    const AMQP_URL = `amqp://u:${CANARY}@broker.example.com`;
    expect(await refusalOf({ AMQP_URL })).toMatchObject(refusing('AMQP_URL'));
  });

  it('include secrets given twice, or in a file that cannot be read or is empty', async () => {
    const twice = {
      AMQP_URL: `amqp://u:${CANARY}@127.0.0.1`,
      AMQP_URL_FILE: fileWith(`amqp://u:${CANARY}@127.0.0.1`),
      PLATFORM_SECRET_KEY_FILE: join(folder, CANARY, 'nowhere'),
    };
    expect(await refusalOf(twice)).toMatchObject(refusing('AMQP_URL', 'PLATFORM_SECRET_KEY_FILE'));
    expect(await refusalOf({ PLATFORM_SECRET_KEY_FILE: fileWith('\n') })).toMatchObject(
      refusing('PLATFORM_SECRET_KEY_FILE'),
    );
  });
});

describe('secrets in files', () => {
  it('count like variables', async () => {
    await using service = await ServiceUnderTest.start({
      behaviour: (_request, response) => answerJson(response, 200, sessionDocument('p-1')),
    });
    const { AMQP_URL, ...variables } = service.variables;
    await service.worker({
      ...variables,
      AMQP_URL: '',
      AMQP_URL_FILE: fileWith(`${AMQP_URL}\n`),
      PLATFORM_SECRET_KEY: '',
      PLATFORM_SECRET_KEY_FILE: fileWith('s3cret\r\n'),
    });
    const [reply] = await service.caller.send('session.create', { userId: 'p-1' });
    expect(reply?.type).toBe('session.created');
    expect(service.platform.requests[0]?.headers['sign']).toBe(hash('sha256', 'p-1s3cret'));
  });
});

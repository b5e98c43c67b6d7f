import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, it, jest } from '@jest/globals';

import { uniquePrefix } from '../../support/broker.ts';
import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';

jest.setTimeout(240_000);

const PROGRAM = fileURLToPath(new URL('clustered-callers.mjs', import.meta.url));
const ROUNDS = 5;
const PROCESSES = 8;

it('answers eight processes of one caller that start together, time and again, though a third is killed', async () => {
  await using service = await ServiceUnderTest.start({ behaviour: healthy() });
  await service.worker();
  const env = {
    ...process.env,
    BUS_URL: service.url,
    BUS_PREFIX: service.prefix,
    CALLER_NAME: uniquePrefix(),
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions=@poker-bridge/source', '--disable-warning=ExperimentalWarning', PROGRAM],
      { env },
    );
    const answers = JSON.parse(stdout) as { right: boolean; queue: string }[];
    expect(answers).toEqual(
      Array.from({ length: PROCESSES }, () => ({ right: true, queue: expect.any(String) })),
    );
    expect(new Set(answers.map(({ queue }) => queue)).size).toBe(PROCESSES);
  }
});

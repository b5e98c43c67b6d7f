import { fileURLToPath } from 'node:url';

import { expect, it, jest } from '@jest/globals';

import { Program } from '../../../scripts/processes/program.ts';
import { uniquePrefix } from '../../support/broker.ts';
import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';

jest.setTimeout(240_000);

const ARGUMENTS = [
  '--conditions=@poker-bridge/source',
  '--disable-warning=ExperimentalWarning',
  fileURLToPath(new URL('one-caller.mjs', import.meta.url)),
];
const ROUNDS = 5;
const PROCESSES = 8;

it('answers eight processes of one caller that repeatedly start together, although a third are killed', async () => {
  await using service = await ServiceUnderTest.start({ behaviour: healthy() });
  await service.worker();
  const env = { BUS_URL: service.url, BUS_PREFIX: service.prefix, CALLER_NAME: uniquePrefix() };
  for (let round = 0; round < ROUNDS; round += 1) {
    await using stack = new AsyncDisposableStack();
    const open = () => stack.use(new Program(process.execPath, ARGUMENTS, env));
    const programs = Array.from({ length: PROCESSES }, open);
    const queues = await Promise.all(programs.map((program) => program.says(/^in (\S+)\n/)));
    expect(new Set(queues).size).toBe(PROCESSES);
    for (const [number, program] of programs.entries())
      program.kill(number % 3 === 0 ? 'SIGKILL' : 'SIGTERM');
    await Promise.all(programs.map(({ exited }) => exited));
  }
});

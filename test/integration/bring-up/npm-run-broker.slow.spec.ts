import { describe, expect, it } from '@jest/globals';

import { freePorts, speaksAmqp } from '../../../scripts/network.ts';
import { until } from '../../support/until.ts';
import { Program } from '../../support/program.ts';

describe('npm run broker', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    'is a broker on the given port, gone when %s ends npm',
    async (signal) => {
      const [port = 0] = await freePorts(1);
      await using program = new Program('npm', ['run', '--silent', 'broker', '--', '--port', String(port)]);

      expect(await program.says(/^(\S+) /)).toBe(`amqp://guest:guest@127.0.0.1:${port}`);
      await until('it speaks AMQP', () => speaksAmqp(port));
      program.child.kill(signal);

      expect((await program.result).code).toBe(signal === 'SIGKILL' ? null : 0);
      await until('the broker has ended', async () => !(await speaksAmqp(port)));
    },
  );

  it('refuses an invalid port', async () => {
    await using program = new Program('npm', ['run', '--silent', 'broker', '--', '--port', 'x']);

    expect(await program.result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--port x is not a port'),
    });
  });

  it('refuses a release that is not supported, and says which are', async () => {
    await using program = new Program('npm', ['run', '--silent', 'broker', '--', '--release', '3.10']);

    expect(await program.result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--release 3.10 is none of 4.0, 4.3'),
    });
  });
});

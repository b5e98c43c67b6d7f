import { join } from 'node:path';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { FLAGS } from '../../../scripts/launcher/flags.mjs';
import { freePorts, isAnswered } from '../../../scripts/network.ts';
import { Program } from '../../../scripts/processes/program.ts';
import { testBrokerUrl, uniquePrefix } from '../../support/broker.ts';
import { BusCaller } from '../../support/bus-caller.ts';
import { NodeDebugger } from '../../support/node-debugger.ts';
import { repositoryCopy } from '../../support/repository-copy.ts';
import { stackForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const HANDLER = 'apps/worker/src/commands/handlers.ts';
const PAGE = 'apps/sandbox/src/pages/overview.ts';
const SIGNING = 'libs/signing/src/index.ts';

describe('npm run dev', () => {
  // Before the copy, so that it has ended when its files are removed.
  const stack = stackForAll();
  const copy = repositoryCopy();
  const prefix = uniquePrefix();
  let sandbox = '';
  let worker = '';
  let debuggerPort = 0;
  let program: Program;

  const started = (): number => program.stdout.match(/"worker started"|sandbox listening/g)?.length ?? 0;
  const isReady = (): Promise<boolean> => isAnswered(`${worker}/health/ready`);
  const save = (path: string, change: (text: string) => string): void =>
    copy.write(path, change(copy.read(path) ?? ''));

  beforeAll(async () => {
    const [sandboxPort = 0, workerPort = 0, port = 0] = await freePorts(3);
    debuggerPort = port;
    sandbox = `http://127.0.0.1:${sandboxPort}`;
    worker = `http://127.0.0.1:${workerPort}`;
    const variables = { SANDBOX_PORT: `${sandboxPort}`, HTTP_PORT: `${workerPort}` };
    const args = [
      ...FLAGS,
      join(copy.path, 'scripts/tasks/dev.ts'),
      '--inspect',
      '--inspect-port',
      `${port}`,
    ];
    const bus = { AMQP_URL: testBrokerUrl(), AMQP_PREFIX: prefix };
    program = stack.use(new Program(process.execPath, args, { ...variables, ...bus }));
    stack.defer(async () => {
      program.kill('SIGTERM');
      await program.exited;
    });
    await program.until('become ready', isReady);
  });

  it('stops a command at a breakpoint in the TypeScript of its handler', async () => {
    using attached = await NodeDebugger.attach(debuggerPort);
    const line = await attached.breakAt(join(copy.path, HANDLER), 'command.client.call(');
    await using caller = await BusCaller.open(testBrokerUrl(), prefix);
    const reply = caller.sendForOne('game.open', { player: { id: 'ada' } });
    expect(await attached.paused()).toBe(line);
    await attached.call('Debugger.resume');
    expect(await reply).toMatchObject({ type: 'game.opened' });
  });

  it('restarts the sandbox alone when a file of it is saved', async () => {
    const before = started();
    save(PAGE, (text) => text.replace('The platform’s side', 'A page that was saved'));
    const shown = () =>
      fetch(sandbox).then(
        (page) => page.text(),
        () => '',
      );
    await until('the page is new', async () => (await shown()).includes('A page that was saved'));
    expect(started()).toBe(before + 1);
  });

  it('keeps both running when a file does not compile, and restarts both when it is mended', async () => {
    const before = started();
    save(SIGNING, (text) => `${text}const = 1;\n`);
    await until('the error is shown', () => /signing\/src\/index\.ts/.test(program.stderr));
    expect([await isAnswered(sandbox), await isReady()]).toEqual([true, true]);
    save(SIGNING, (text) => text.replace('const = 1;\n', ''));
    await until('both have started', () => started() === before + 2);
    await until('both run', async () => (await isAnswered(sandbox)) && (await isReady()));
  });
});

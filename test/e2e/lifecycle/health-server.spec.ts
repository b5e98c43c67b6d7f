import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { freePorts } from '../../../scripts/network/free-ports.ts';
import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../support/worker-process.ts';

/** Node.js opens its debugger within milliseconds. */
const INSPECTOR_MS = 1_000;

describe('the health and metrics of a worker', () => {
  let service: ServiceUnderTest;
  let worker: WorkerProcess;
  let inspectorPort: number;

  beforeAll(async () => {
    service = await ServiceUnderTest.start({ behaviour: healthy() });
    [inspectorPort = 0] = await freePorts(1);
    worker = await service.worker({ NODE_OPTIONS: `--inspect-port=127.0.0.1:${inspectorPort}` });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  /** A connection on which a client has begun to send something. */
  async function connectionWith(sent: string): Promise<Socket> {
    const socket = connect(Number(new URL(await worker.url()).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.resume().write(sent);
    return socket;
  }

  it('do not say what serves them, and end the connection', async () => {
    const socket = await connectionWith('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toMatch(/^Connection: close\r$/im);
    expect(answer).not.toMatch(/^(X-Powered-By|Server):/im);
  });

  it('are there while many clients send requests without an end, and end those', async () => {
    const sockets: Socket[] = [];
    for (let n = 0; n < 100; n += 1) {
      sockets.push(await connectionWith('GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: '));
    }
    expect((await worker.get('/health/live')).status).toBe(200);
    expect((await worker.get('/metrics')).status).toBe(200);
    const dripping = setInterval(
      () => sockets.forEach((socket) => socket.writable && socket.write('x')),
      500,
    );
    await until('all are gone', () => sockets.every((socket) => socket.closed));
    clearInterval(dripping);
  });

  it('stay when somebody asks for the debugger, which does not open', async () => {
    worker.kill('SIGUSR1');
    await sleep(INSPECTOR_MS);
    const socket = connect(inspectorPort, '127.0.0.1');
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
    expect(worker.stderr).toBe('');
    expect((await worker.get('/health/ready')).status).toBe(200);
  });
});

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { freePorts } from '../../../scripts/network.ts';
import { healthy } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import type { WorkerProcess } from '../../../scripts/processes/worker-process.ts';

/** Node.js opens its debugger within milliseconds. */
const INSPECTOR_MS = 1_000;

describe('the health and metrics of a worker', () => {
  const service = serviceForAll({ behaviour: healthy() });
  let worker: WorkerProcess;
  let inspectorPort: number;

  beforeAll(async () => {
    [inspectorPort = 0] = await freePorts(1);
    worker = await service.worker({
      NODE_OPTIONS: `--inspect-port=127.0.0.1:${inspectorPort}`,
      HTTP_HOSTS: 'worker.example.com, Poker_Worker-1.',
    });
  });

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

  /** The status of the answer to a request, given as its first line and headers. */
  async function statusOf(...lines: string[]): Promise<number> {
    const socket = await connectionWith([...lines, 'Connection: close', '', ''].join('\r\n'));
    return Number((await text(socket)).split(' ')[1]);
  }

  it.each(['/health/live', '/health/ready', '/health', '/metrics', '/console', '/console/events', '/none'])(
    'are not for a foreign host, which may be the name of a foreign page: %s',
    async (path) => {
      expect(await statusOf(`GET ${path} HTTP/1.1`, 'Host: rebound.example.net')).toBe(421);
    },
  );

  it.each([
    ...'127.0.0.1 192.0.2.7:3000 [::1] [2001:db8::7]:3000 localhost LOCALHOST:3000'.split(' '),
    ...'localhost. Worker.Example.COM:3000 worker.example.com. poker_worker-1'.split(' '),
  ])('are for the host %s', async (host) => {
    expect(await statusOf('GET /health/live HTTP/1.1', `Host: ${host}`)).toBe(200);
  });

  it.each([
    ...' example.com localhost.example.net 127.0.0.1.example.net 127.0.0.256 ::1'.split(' '),
    ...'[localhost]|user@localhost|localhost, rebound.example.net'.split('|'),
    'localhost\r\nHost: rebound.example.net',
  ])('are not for the host %j', async (host) => {
    expect(await statusOf('GET /health/live HTTP/1.1', `Host: ${host}`)).toBe(421);
  });

  it.each([
    ['localhost', 'http://rebound.example.net/health/live'],
    ['rebound.example.net', 'http://localhost/health/live'],
  ])('are not for the host %s, asked for %s', async (host, target) => {
    expect(await statusOf(`GET ${target} HTTP/1.1`, `Host: ${host}`)).toBe(421);
  });

  it('are not for a request without a host', async () => {
    expect(await statusOf('GET /health/live HTTP/1.0')).toBe(421);
    expect(await statusOf('GET /health/live HTTP/1.1')).toBe(400);
    expect(await statusOf('GET http://localhost/health/live HTTP/1.0', 'Host: localhost')).toBe(200);
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
    expect(worker.stderr).not.toContain('Debugger');
    expect((await worker.get('/health/ready')).status).toBe(200);
  });
});

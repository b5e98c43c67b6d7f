import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';

import { describe, expect, it } from '@jest/globals';

import { freePorts } from '../../../scripts/network.ts';
import { healthy } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';

describe('the health and metrics of a worker', () => {
  let inspectorPort: number;
  const service = serviceForAll(async () => {
    [inspectorPort = 0] = await freePorts(1);
    const inspect = `--inspect-port=127.0.0.1:${inspectorPort}`;
    const variables = { NODE_OPTIONS: inspect, HTTP_HOSTS: 'worker.example.com, Poker_Worker-1.' };
    return { behaviour: healthy(), variables, workers: 1 };
  });

  /** Opens a connection and sends the beginning of a request. */
  async function connectionWith(sent: string): Promise<Socket> {
    const socket = connect(Number(new URL(await service.running.url()).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.resume().write(sent);
    return socket;
  }

  it('do not reveal the server software, and announce that the connection closes', async () => {
    const socket = await connectionWith('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [answer] = await once(socket.setEncoding('utf8'), 'data');
    socket.destroy();
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
    'reject a foreign host (DNS rebinding): %s',
    async (path) => {
      expect(await statusOf(`GET ${path} HTTP/1.1`, 'Host: rebound.example.net')).toBe(421);
    },
  );

  const own =
    '127.0.0.1 192.0.2.7:3000 [::1] [2001:db8::7]:3000 localhost LOCALHOST:3000 localhost. Worker.Example.COM:3000 worker.example.com. poker_worker-1'.split(
      ' ',
    );
  const foreign = [
    ...' example.com localhost.example.net 127.0.0.1.example.net 127.0.0.256 ::1'.split(' '),
    ...'[localhost]|user@localhost|localhost, rebound.example.net'.split('|'),
    'localhost\r\nHost: rebound.example.net',
  ];
  it.each([...own.map((host) => [200, host] as const), ...foreign.map((host) => [421, host] as const)])(
    'return %i for the host %j',
    async (status, host) => {
      expect(await statusOf('GET /health/live HTTP/1.1', `Host: ${host}`)).toBe(status);
    },
  );

  it.each([
    ['localhost', 'http://rebound.example.net/health/live'],
    ['rebound.example.net', 'http://localhost/health/live'],
  ])('reject the host %s with the target %s', async (host, target) => {
    expect(await statusOf(`GET ${target} HTTP/1.1`, `Host: ${host}`)).toBe(421);
  });

  it('reject a request without a host', async () => {
    expect(await statusOf('GET /health/live HTTP/1.0')).toBe(421);
    expect(await statusOf('GET /health/live HTTP/1.1')).toBe(400);
    expect(await statusOf('GET http://localhost/health/live HTTP/1.0', 'Host: localhost')).toBe(200);
  });

  it('remain available on SIGUSR1, which does not open the debugger', async () => {
    service.running.kill('SIGUSR1');
    // Node.js opens its debugger within milliseconds.
    await sleep(300);
    const socket = connect(inspectorPort, '127.0.0.1');
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
    expect(service.running.stderr).not.toContain('Debugger');
    expect((await service.running.get('/health/ready')).status).toBe(200);
  });
});

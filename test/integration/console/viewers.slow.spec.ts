import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Viewers } from '../../../apps/worker/src/console/viewers.ts';
import { limitConnections } from '../../../apps/worker/src/health/protect-server.ts';
import { until } from '../../support/until.ts';

const MAX_VIEWERS = 8;
const MAX_MISSED = 10;
const MAX_CONNECTIONS = 64;
/** More than sockets on this machine buffer. */
const LARGE = 'x'.repeat(1024 * 1024);

/** Somebody who looks, and what arrived. */
interface Client {
  readonly socket: Socket;
  text: string;
}

let server: Server;
let viewers: Viewers;
let counts: number[];
let responses: ServerResponse[];

beforeEach(async () => {
  const seen: number[] = [];
  counts = seen;
  responses = [];
  viewers = new Viewers((count) => seen.push(count));
  server = createServer((_request: IncomingMessage, response) => {
    responses.push(response);
    viewers.admit(response, () => ({ first: true }));
  });
  limitConnections(server, (socket) => viewers.has(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function newSocket(): Socket {
  return connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
}

/** Somebody who looks, once the answer has begun. */
async function newClient(): Promise<Client> {
  const socket = newSocket();
  const client: Client = { socket, text: '' };
  socket.setEncoding('utf8').on('data', (text: string) => (client.text += text));
  socket.write('GET /console/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await until('the stream begins', () => client.text.includes('retry:'));
  return client;
}

describe('Viewers', () => {
  it('tell who looks what happens, as server-sent events', async () => {
    const client = await newClient();
    viewers.show({ text: 'line\nbreak' });
    await until('the event arrives', () => client.text.includes('break'));
    expect(client.text).toMatch(/^HTTP\/1\.1 200 OK\r\ncontent-type: text\/event-stream; charset=utf-8\r\n/);
    expect(client.text).toContain('event: now\ndata: {"first":true}\n\n');
    expect(client.text).toContain('event: now\ndata: {"text":"line\\nbreak"}\n\n');
  });

  it('say when the first comes and the last goes', async () => {
    const [first, second] = [await newClient(), await newClient()];
    first.socket.destroy();
    await until('one is left', () => counts.at(-1) === 1);
    second.socket.destroy();
    await until('nobody is left', () => counts.at(-1) === 0);
    expect(counts).toEqual([1, 2, 1, 0]);
  });

  it('are eight at most; one more is refused, and takes a place that becomes free', async () => {
    const clients: Client[] = [];
    for (let n = 0; n < MAX_VIEWERS; n += 1) clients.push(await newClient());
    const refused = await newClient();
    await until('it is sent away', () => refused.socket.closed);
    expect(refused.text).toContain('event: closing\ndata: {"reason":"full"}\n\n');
    expect(refused.text).toContain('retry: 10000\n');
    clients[0]?.socket.destroy();
    await until('a place is free', () => counts.at(-1) === MAX_VIEWERS - 1);
    const admitted = await newClient();
    viewers.show({ told: true });
    await until('it is told', () => admitted.text.includes('told'));
  });

  it('are dropped if they do not read, and at most one event waits for each', async () => {
    const [reader, sleeper] = [await newClient(), await newClient()];
    sleeper.socket.pause();
    const response = responses[1];
    let events = 0;
    for (; !response?.destroyed; events += 1) {
      viewers.show(LARGE);
      expect(response?.writableLength).toBeLessThan(2 * LARGE.length);
      await until('the reader has read it', () => reader.text.length > events * LARGE.length);
    }
    expect(events).toBeGreaterThan(MAX_MISSED);
    await until('one is left', () => counts.at(-1) === 1);
    viewers.show({ last: true });
    await until('the reader is told on', () => reader.text.includes('"last"'));
  });

  it('stay while too many other connections come and go', async () => {
    const client = await newClient();
    const others = Array.from({ length: MAX_CONNECTIONS + 10 }, newSocket);
    await Promise.all(others.map((socket) => once(socket, 'connect')));
    await until('the oldest others are closed', () => others.slice(0, 5).every(({ closed }) => closed));
    viewers.show({ told: true });
    await until('it is told', () => client.text.includes('told'));
    for (const socket of others) socket.destroy();
  });

  it('all end at once when the worker stops, and nobody else begins', async () => {
    const clients = [await newClient(), await newClient()];
    viewers.close();
    expect(counts.at(-1)).toBe(0);
    await until('both have ended', () => clients.every(({ socket }) => socket.closed));
    const late = await newClient();
    await until('it has ended', () => late.socket.closed);
    for (const { text } of [...clients, late]) {
      expect(text).toContain('event: closing\ndata: {"reason":"stopping"}\n\n');
    }
    expect(counts).toEqual([1, 2, 1, 0]);
  });
});

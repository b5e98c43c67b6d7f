import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Viewers } from '../../../apps/worker/src/console/viewers.ts';
import { limitConnections } from '../../../apps/worker/src/health/protect-server.ts';
import { listenOnLoopback } from '../../support/loopback-server.ts';
import { until } from '../../support/until.ts';

const MAX_MISSED = 10;
const MAX_CONNECTIONS = 64;
/** Larger than the socket buffers of the machine. */
const LARGE = 'x'.repeat(1024 * 1024);

interface Client {
  readonly socket: Socket;
  text: string;
}

let server: Server;
let port: number;
let viewers: Viewers;
let responses: ServerResponse[];
let state: unknown;
let views: number;

beforeEach(async () => {
  responses = [];
  state = { first: true };
  views = 0;
  viewers = new Viewers(() => {
    views += 1;
    return state;
  });
  server = createServer(({ url }: IncomingMessage, response) => {
    if (url === '/') return response.end('well');
    responses.push(response);
    return viewers.admit(response);
  });
  limitConnections(server, (socket) => viewers.has(socket));
  port = await listenOnLoopback(server);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function newSocket(): Socket {
  return connect(port, '127.0.0.1').on('error', () => undefined);
}

/** A connected client that has not sent anything yet. */
async function newConnection(): Promise<Socket> {
  const socket = newSocket().resume();
  await Promise.all([once(socket, 'connect'), once(server, 'connection')]);
  return socket;
}

/** A viewer whose stream has started. */
async function newClient(): Promise<Client> {
  const socket = newSocket();
  const client: Client = { socket, text: '' };
  socket.setEncoding('utf8').on('data', (text: string) => (client.text += text));
  socket.write('GET /console/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await until('the stream begins', () => client.text.includes('retry:'));
  return client;
}

describe('Viewers', () => {
  it('are disconnected if they do not read, and buffer at most one event each', async () => {
    const [reader, sleeper] = [await newClient(), await newClient()];
    sleeper.socket.pause();
    const response = responses[1]!;
    const connection = response.socket!;
    state = LARGE;
    for (let events = 1; !response.destroyed; events += 1) {
      viewers.show();
      expect(response.writableLength).toBeLessThan(2 * LARGE.length);
      await until('the reader has read it', () => reader.text.length > events * LARGE.length);
    }
    expect(views).toBeGreaterThan(MAX_MISSED);
    await until('one is left', () => !viewers.has(connection));
    state = { last: true };
    viewers.show();
    await until('the reader gets what follows', () => reader.text.includes('"last"'));
  });

  it('stay connected while too many other connections are opened', async () => {
    const client = await newClient();
    const others = Array.from({ length: MAX_CONNECTIONS + 10 }, newSocket);
    await Promise.all(others.map((socket) => once(socket, 'connect')));
    await until('the oldest others are closed', () => others.slice(0, 5).every(({ closed }) => closed));
    state = { told: true };
    viewers.show();
    await until('the reader gets the change', () => client.text.includes('told'));
    for (const socket of others) socket.destroy();
  });
});

it('limitConnections keeps up to the maximum number of connections open, and closes each after its first answer', async () => {
  const clients: Socket[] = [];
  for (let n = 0; n < MAX_CONNECTIONS; n += 1) clients.push(await newConnection());
  expect(await promisify(server.getConnections.bind(server))()).toBe(MAX_CONNECTIONS);
  const [first] = clients;
  let answer = '';
  first!.on('data', (chunk) => (answer += String(chunk)));
  first!.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(first!, 'close');
  expect(answer.match(/well/g)).toHaveLength(1);
});

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { promisify } from 'node:util';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { limitConnections } from '../../../apps/worker/src/health/protect-server.ts';
import { until } from '../../support/until.ts';

const MAX_CONNECTIONS = 64;

let server: Server;

beforeEach(async () => {
  server = createServer((_request, response) => response.end('well'));
  limitConnections(server, () => false);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A client that says nothing yet. */
async function newClient(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  await Promise.all([once(socket, 'connect'), once(server, 'connection')]);
  return socket;
}

describe('limitConnections', () => {
  it('closes the oldest of too many connections', async () => {
    const clients: Socket[] = [];
    for (let n = 0; n < MAX_CONNECTIONS + 10; n += 1) clients.push(await newClient());
    await until('the oldest are closed', () => clients.slice(0, 10).every(({ closed }) => closed));
    expect(await promisify(server.getConnections.bind(server))()).toBeLessThanOrEqual(MAX_CONNECTIONS);
    expect(clients.at(-1)?.closed).toBe(false);
  });

  it('closes none of as many as it takes, and each after its first answer', async () => {
    const clients: Socket[] = [];
    for (let n = 0; n < MAX_CONNECTIONS; n += 1) clients.push(await newClient());
    expect(await promisify(server.getConnections.bind(server))()).toBe(MAX_CONNECTIONS);
    const [first] = clients;
    let answer = '';
    first!.on('data', (chunk) => (answer += String(chunk)));
    first!.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(first!, 'close');
    expect(answer.match(/well/g)).toHaveLength(1);
  });
});

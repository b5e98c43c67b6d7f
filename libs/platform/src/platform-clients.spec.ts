import { describe, expect, it } from '@jest/globals';

import { PlatformClients } from './platform-clients.ts';
import {
  DEFAULT_PLATFORM_SETTINGS,
  type OperatorCredentials,
  type PlatformLimits,
} from './platform-settings.ts';

const LIMITS: PlatformLimits = {
  attemptTimeoutMs: 1000,
  maxAttempts: 3,
  connections: 128,
  queue: 1024,
  circuit: { failureRate: 50, minimumCalls: 20, windowMs: 15_000, openMs: 5000 },
};

const operator = (name: string): OperatorCredentials => ({
  name,
  baseUrl: 'https://api.example/api/web',
  apiUrl: 'https://api.example',
  clientId: name,
  settings: DEFAULT_PLATFORM_SETTINGS,
});

describe('PlatformClients', () => {
  it('has a client for each configured operator, and no other', () => {
    const clients = new PlatformClients([operator('default'), operator('second')], { limits: LIMITS });
    expect(clients.get('default')).toBeDefined();
    expect(clients.get('second')).toBe(clients.get('second'));
    expect(clients.operators()).toEqual(['default', 'second']);
    for (const name of ['third', '', '__proto__']) expect(clients.get(name)).toBeUndefined();
    expect(clients.circuits()).toEqual([]);
  });
});

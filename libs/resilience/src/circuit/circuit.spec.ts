import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { Circuit, type CircuitPass, type CircuitSettings, type Health } from './circuit.ts';

const SETTINGS: CircuitSettings = { failureRate: 50, minimumCalls: 4, windowMs: 10_000, openMs: 5000 };

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
});

afterEach(() => {
  jest.useRealTimers();
});

function build(settings: Partial<CircuitSettings> = {}, random = () => 0.5) {
  const changes: string[] = [];
  const causes: (string | undefined)[] = [];
  const onChange = (state: string, cause: string | undefined) =>
    void (changes.push(state), causes.push(cause));
  const circuit = new Circuit({ ...SETTINGS, ...settings }, { clock: () => Date.now(), random, onChange });
  return { circuit, changes, causes };
}

async function call(circuit: Circuit, ...healths: Health[]): Promise<void> {
  for (const health of healths) circuit.enter()?.settle(health);
  await jest.advanceTimersByTimeAsync(0);
}

const times = (count: number, health: Health) => Array.from({ length: count }, () => health);

async function opened(settings: Partial<CircuitSettings> = {}, random = () => 0.5) {
  const built = build(settings, random);
  await call(built.circuit, ...times(4, 'unhealthy'));
  expect(built.circuit.state).toBe('open');
  return built;
}

async function halfOpened() {
  const built = await opened();
  await jest.advanceTimersByTimeAsync(5000);
  expect(built.circuit.state).toBe('half-open');
  return built;
}

describe('a closed circuit', () => {
  it('opens when the rate is reached, not only when it is passed', async () => {
    const { circuit, changes } = build();
    await call(circuit, 'healthy', 'healthy', 'unhealthy');
    expect(circuit.state).toBe('closed');
    await call(circuit, 'unhealthy');
    expect(circuit.state).toBe('open');
    expect(changes).toEqual(['open']);
    expect(circuit.enter()).toBeUndefined();
  });

  it('says what the last unhealthy call ended with, until it is closed', async () => {
    const { circuit, causes } = build();
    for (const cause of ['timeout', 'timeout', 'timeout']) circuit.enter()!.settle('unhealthy', cause);
    expect(circuit.cause).toBeUndefined();
    circuit.enter()!.settle('unhealthy', 'HTTP 503');
    expect(circuit.cause).toBe('HTTP 503');
    await jest.advanceTimersByTimeAsync(5000);
    circuit.enter()!.settle('unhealthy', 'refused');
    expect(circuit.cause).toBe('refused');
    await jest.advanceTimersByTimeAsync(5000);
    await call(circuit, 'healthy');
    expect(circuit.cause).toBeUndefined();
    expect(causes).toEqual(['HTTP 503', 'HTTP 503', 'refused', 'refused', undefined]);
  });

  it('counts a failure as fast with a hundred thousand calls in its window as with a few', async () => {
    jest.useRealTimers();
    const settings = { minimumCalls: 1_000_000 };
    const [few, many] = [build(settings).circuit, build(settings).circuit];
    for (let calls = 0; calls < 100_000; calls += 1) many.enter()!.settle('healthy');
    await new Promise((resolve) => setImmediate(resolve));
    const medianMs = (circuit: Circuit) =>
      Array.from({ length: 51 }, () => {
        const startMs = performance.now();
        circuit.enter()!.settle('unhealthy');
        return performance.now() - startMs;
      }).sort((a, b) => a - b)[25]!;
    // With opossum's percentiles it is several hundred times as long.
    expect(medianMs(many)).toBeLessThan(20 * medianMs(few));
  });

  it('can be set to open at 100 percent, and does not open below', async () => {
    const { circuit } = build({ failureRate: 100 });
    await call(circuit, 'healthy', ...times(50, 'unhealthy'));
    expect(circuit.state).toBe('closed');
    await jest.advanceTimersByTimeAsync(20_000);
    await call(circuit, ...times(4, 'unhealthy'));
    expect(circuit.state).toBe('open');
  });

  it('does not count what is ignored, neither as a call nor as a success', async () => {
    const { circuit } = build();
    await call(circuit, ...times(100, 'ignored'), ...times(3, 'unhealthy'), ...times(100, 'ignored'));
    expect(circuit.state).toBe('closed');
    await call(circuit, 'unhealthy');
    expect(circuit.state).toBe('open');
  });

  it('forgets what is older than its window', async () => {
    const { circuit } = build();
    await call(circuit, ...times(3, 'unhealthy'));
    await jest.advanceTimersByTimeAsync(11_000);
    await call(circuit, 'unhealthy');
    expect(circuit.state).toBe('closed');
  });

  it('counts a call where it ended, so that calls longer than the window do not open it', async () => {
    const { circuit } = build();
    const long = times(20, 'healthy').map(() => circuit.enter()!);
    await jest.advanceTimersByTimeAsync(15_000);
    for (const pass of long.slice(0, 16)) pass.settle('healthy');
    for (const pass of long.slice(16)) pass.settle('unhealthy');
    await jest.advanceTimersByTimeAsync(0);
    expect(circuit.state).toBe('closed');
  });
});

describe('an open circuit', () => {
  it('tells the time until its next probe, with jitter', async () => {
    expect((await opened({}, () => 0)).circuit.retryAfterMs).toBe(4000);
    expect((await opened({}, () => 1)).circuit.retryAfterMs).toBe(6000);
    const { circuit } = await opened();
    await jest.advanceTimersByTimeAsync(1000);
    expect(circuit.retryAfterMs).toBe(4000);
    expect(circuit.isPassable).toBe(false);
  });

  it('draws a new wait for every opening', async () => {
    const draws = [0.5, 0, 1, 0.5];
    const { circuit } = await opened({}, () => draws.shift()!);
    expect(circuit.retryAfterMs).toBe(5000);
    await jest.advanceTimersByTimeAsync(5000);
    await call(circuit, 'unhealthy');
    expect(circuit.retryAfterMs).toBe(4000);
    await jest.advanceTimersByTimeAsync(4000);
    await call(circuit, 'unhealthy');
    expect(circuit.retryAfterMs).toBe(6000);
  });
});

describe('a circuit that closed again', () => {
  it('ignores calls that were made before its opening', async () => {
    const { circuit } = build();
    const late = times(10, 'unhealthy').map(() => circuit.enter()!);
    await call(circuit, ...times(4, 'unhealthy'));
    await jest.advanceTimersByTimeAsync(5000);
    await call(circuit, 'healthy');
    for (const pass of late) pass.settle('unhealthy');
    await jest.advanceTimersByTimeAsync(0);
    expect(circuit.state).toBe('closed');
  });
});

describe('a half-open circuit', () => {
  it('closes by a healthy probe, and forgets what opened it', async () => {
    const { circuit, changes } = await halfOpened();
    await call(circuit, 'healthy');
    expect(changes).toEqual(['open', 'half-open', 'closed']);
    await call(circuit, ...times(3, 'unhealthy'));
    expect(circuit.state).toBe('closed');
    await call(circuit, 'unhealthy');
    expect(circuit.state).toBe('open');
  });

  it('ignores a probe of an earlier opening', async () => {
    const { circuit } = await halfOpened();
    const cancelled = circuit.enter()!;
    cancelled.settle('ignored');
    await call(circuit, 'unhealthy');
    await jest.advanceTimersByTimeAsync(5000);
    cancelled.settle('healthy');
    await jest.advanceTimersByTimeAsync(0);
    expect(circuit.state).toBe('half-open');
  });
});

describe('many circuits', () => {
  it('do not share options, since opossum writes into them', async () => {
    const first = await opened();
    const second = build({ failureRate: 90, minimumCalls: 1 });
    await call(second.circuit, 'healthy', ...times(3, 'unhealthy'));
    expect([first.circuit.state, second.circuit.state]).toEqual(['open', 'closed']);
  });

  it('hold no timer while they are closed, and none after shutdown', async () => {
    const passes: (CircuitPass | undefined)[] = [];
    for (let i = 0; i < 100; i += 1) passes.push(build().circuit.enter());
    expect([passes.length, jest.getTimerCount()]).toEqual([100, 0]);
    const { circuit } = await opened();
    expect(jest.getTimerCount()).toBe(1);
    circuit.shutdown();
    expect(jest.getTimerCount()).toBe(0);
  });
});

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { Circuit, type CircuitSettings, type Health } from './circuit.ts';

const SETTINGS: CircuitSettings = { failureRate: 50, minimumCalls: 4, windowMs: 10_000, openMs: 5000 };

beforeEach(() => void jest.useFakeTimers({ now: 0 }));
afterEach(() => void jest.useRealTimers());

function build(settings: Partial<CircuitSettings> = {}, random = () => 0.5) {
  const changes: string[] = [];
  const causes: (string | undefined)[] = [];
  const circuit = new Circuit(
    { ...SETTINGS, ...settings },
    Date.now,
    random,
    (state, cause) => void (changes.push(state), causes.push(cause)),
  );
  return { circuit, changes, causes };
}

const times = (count: number, health: Health) => Array.from({ length: count }, () => health);
const wait = (ms = 0) => jest.advanceTimersByTimeAsync(ms);

async function call(circuit: Circuit, ...healths: Health[]): Promise<void> {
  for (const health of healths) circuit.settle(circuit.enter() ?? Number.NaN, health);
  await wait();
}

async function opened(random = () => 0.5) {
  const built = build({}, random);
  await call(built.circuit, ...times(4, 'unhealthy'));
  expect(built.circuit.state).toBe('open');
  return built;
}

describe('a closed circuit', () => {
  it.each<[string, Partial<CircuitSettings>, Health[], Health[]]>([
    ['its failure rate is reached', {}, [...times(5, 'healthy'), ...times(4, 'unhealthy')], ['unhealthy']],
    [
      'the minimum number of calls is reached, without counting ignored ones',
      {},
      [...times(99, 'ignored'), ...times(3, 'unhealthy'), 'ignored'],
      ['unhealthy'],
    ],
    [
      'all calls fail if the failure rate is set to 100 percent',
      { failureRate: 100 },
      times(3, 'unhealthy'),
      ['unhealthy'],
    ],
  ])('opens once %s', async (_what, settings, before, last) => {
    const { circuit, changes } = build(settings);
    await call(circuit, ...before);
    expect(circuit.state).toBe('closed');
    await call(circuit, ...last);
    expect([circuit.state, changes, circuit.enter()]).toEqual(['open', ['open'], undefined]);
  });

  it('returns the cause of the last unhealthy call and the time since opening until it closes', async () => {
    const { circuit, causes } = build();
    for (const cause of ['timeout', 'timeout', 'timeout'])
      circuit.settle(circuit.enter()!, 'unhealthy', cause);
    expect(circuit.cause).toBeUndefined();
    circuit.settle(circuit.enter()!, 'unhealthy', 'HTTP 503');
    expect(circuit.cause).toBe('HTTP 503');
    await wait(5000);
    circuit.settle(circuit.enter()!, 'unhealthy', 'refused');
    expect(circuit.cause).toBe('refused');
    await wait(5000);
    expect(circuit.openForMs).toBe(10_000);
    await call(circuit, 'healthy');
    expect([circuit.cause, circuit.openForMs]).toEqual([undefined, undefined]);
    expect(causes).toEqual(['HTTP 503', 'HTTP 503', 'refused', 'refused', undefined]);
  });

  it('counts a failure with 100,000 calls in its window as fast as with a few', async () => {
    jest.useRealTimers();
    const settings = { minimumCalls: 1_000_000 };
    const [few, many] = [build(settings).circuit, build(settings).circuit];
    for (let calls = 0; calls < 100_000; calls += 1) many.settle(many.enter()!, 'healthy');
    await new Promise((resolve) => setImmediate(resolve));
    const medianMs = (circuit: Circuit) =>
      Array.from({ length: 51 }, () => {
        const startMs = performance.now();
        circuit.settle(circuit.enter()!, 'unhealthy');
        return performance.now() - startMs;
      }).sort((a, b) => a - b)[25]!;
    // With opossum's percentiles enabled, it takes several hundred times as long.
    expect(medianMs(many)).toBeLessThan(20 * medianMs(few));
  });

  it('forgets failures older than its window', async () => {
    const { circuit } = build();
    await call(circuit, ...times(3, 'unhealthy'));
    await wait(11_000);
    await call(circuit, 'unhealthy');
    expect(circuit.state).toBe('closed');
  });

  it('counts a call when it ends, so that calls longer than the window do not open it', async () => {
    const { circuit } = build();
    const long = times(20, 'healthy').map(() => circuit.enter()!);
    await wait(15_000);
    long.forEach((pass, at) => circuit.settle(pass, at < 16 ? 'healthy' : 'unhealthy'));
    await wait();
    expect(circuit.state).toBe('closed');
  });

  it('uses no timer while closed, and none after shutdown', async () => {
    for (let i = 0; i < 100; i += 1) expect(build().circuit.enter()).toBeDefined();
    expect(jest.getTimerCount()).toBe(0);
    const { circuit } = await opened();
    expect(jest.getTimerCount()).toBe(1);
    circuit.shutdown();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('shares no options with another circuit, because opossum modifies them', async () => {
    const first = await opened();
    const second = build({ failureRate: 90, minimumCalls: 1 });
    await call(second.circuit, 'healthy', ...times(3, 'unhealthy'));
    expect([first.circuit.state, second.circuit.state]).toEqual(['open', 'closed']);
  });
});

describe('an open circuit', () => {
  it('returns the time until its next probe, with new jitter for each opening', async () => {
    const draws = [0.5, 0, 1, 0.5];
    const { circuit } = await opened(() => draws.shift()!);
    for (const waitMs of [5000, 4000, 6000]) {
      expect(circuit.retryAfterMs).toBe(waitMs);
      await wait(1000);
      expect(circuit.retryAfterMs).toBe(waitMs - 1000);
      await wait(waitMs - 1000);
      await call(circuit, 'unhealthy');
    }
  });

  it('lets one probe through at a time, and the next one after a result that shows nothing', async () => {
    const { circuit } = await opened();
    await wait(5000);
    const probe = circuit.enter()!;
    expect([circuit.enter(), circuit.retryAfterMs]).toEqual([undefined, 1000]);
    circuit.settle(probe, 'ignored');
    expect(circuit.enter()).toBe(probe);
  });

  it('ignores calls made before it opened, even once closed again, and forgets earlier failures', async () => {
    const { circuit, changes } = build();
    const late = times(10, 'unhealthy').map(() => circuit.enter()!);
    await call(circuit, ...times(4, 'unhealthy'));
    circuit.settle(late.pop()!, 'healthy');
    await wait();
    expect(circuit.state).toBe('open');
    await wait(5000);
    await call(circuit, 'healthy');
    for (const pass of late) circuit.settle(pass, 'unhealthy');
    await call(circuit, ...times(3, 'unhealthy'));
    expect(changes).toEqual(['open', 'half-open', 'closed']);
    await call(circuit, 'unhealthy');
    expect(circuit.state).toBe('open');
  });
});

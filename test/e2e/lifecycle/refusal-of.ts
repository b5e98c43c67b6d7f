import { WorkerProcess } from '../../../scripts/processes/worker-process.ts';

export const EXIT_CONFIG = 78;
/** Part of every value: a fault that contains it reveals a value. */
export const CANARY = 'c4n4ry';

const USABLE = {
  PLATFORM_BASE_URL: 'https://api.example/api/web',
  PLATFORM_API_URL: 'https://api.example',
  PLATFORM_CLIENT_ID: 'op1',
  // Nothing listens there: if a worker starts nevertheless, it affects no other.
  AMQP_URL: 'amqp://127.0.0.1:1',
};

export interface Refusal {
  readonly code: number | null;
  readonly stdout: string;
  /** The variables that are named, each in its own line with a reason. */
  readonly variables: string[];
  readonly lines: string[];
  readonly showsCanary: boolean;
}

/** Starts a worker that has to refuse its settings: valid ones, overridden by these. */
export async function refusalOf(variables: Readonly<Record<string, string>>): Promise<Refusal> {
  await using worker = new WorkerProcess({ ...USABLE, ...variables });
  const { code } = await worker.ended();
  const { stdout, stderr } = worker;
  const lines = stderr.trimEnd().split('\n');
  return {
    code,
    stdout,
    lines,
    variables: lines.map((line) => /^([A-Z0-9_]+): \S/.exec(line)?.[1] ?? `not a fault: ${line}`).sort(),
    showsCanary: `${stdout}${stderr}`.includes(CANARY),
  };
}

/** The expected refusal. */
export function refusing(...variables: readonly string[]): Partial<Refusal> {
  return { code: EXIT_CONFIG, stdout: '', variables: [...variables].sort(), showsCanary: false };
}

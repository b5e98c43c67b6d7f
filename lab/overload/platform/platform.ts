import { fileURLToPath } from 'node:url';

import { freePorts, isListening } from '../../../scripts/network.ts';
import { Program } from '../../../scripts/processes/program.ts';
import { platformAt } from '../../../scripts/processes/worker-process.ts';

/** How the platform serves: any number of calls at once, each in a fixed time, or one after the other. */
export interface Service {
  readonly timeMs?: number;
  readonly perSecond?: number;
  /** The end of the path of an operation that never answers. */
  readonly hangs?: string;
}

/** Sets how the platform serves, and returns the number of calls for each load. */
export const CONTROL_PATH = '/control';

/** The load of a player or a command: the phase and the caller, which begin its id. */
export function loadOf(id: string): string {
  return id.slice(0, id.lastIndexOf('.'));
}

export async function startPlatform() {
  const [port = 0] = await freePorts(1);
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const platform = new Program(process.execPath, [main], { PORT: String(port) });
  await platform.until('listen', () => isListening(port));
  const origin = `http://127.0.0.1:${port}`;
  const control = async (body?: string): Promise<Record<string, number>> => {
    const response = await fetch(`${origin}${CONTROL_PATH}`, {
      method: 'POST',
      ...(body !== undefined && { body }),
    });
    return (await response.json()) as Record<string, number>;
  };
  return {
    variables: platformAt(origin, 'overload', 'overload-secret-key'),
    serve: (service: Service) => control(JSON.stringify(service)),
    /** The calls of each load so far. */
    calls: () => control(),
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  };
}

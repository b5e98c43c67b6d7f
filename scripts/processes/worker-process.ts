import { startOf, WORKER } from '../build/programs.ts';
import { isAnswered } from '../network.ts';
import { root } from '../root.ts';
import { Program } from './program.ts';

/** The decimals of the sandbox's currencies. */
export const PRECISIONS = { CURRENCY_PRECISIONS: 'EUR=2,USD=2,GBP=2' };

/** The variables with which a worker reaches a platform. Default credentials: those of the sandbox. */
export function platformAt(origin: string, clientId = 'sandbox', secretKey = 'sandbox-secret-key') {
  return {
    PLATFORM_BASE_URL: `${origin}/api/web`,
    PLATFORM_API_URL: origin,
    PLATFORM_CLIENT_ID: clientId,
    PLATFORM_SECRET_KEY: secretKey,
  };
}

/** A worker process, from built code, with only the given environment. */
export class WorkerProcess extends Program {
  /** @param folder a built repository. Default: this one */
  constructor(variables: Readonly<Record<string, string>>, folder = root) {
    super(...startOf(WORKER, { HTTP_PORT: '0', ...variables }, folder));
  }

  get log(): readonly Record<string, unknown>[] {
    const lines = this.stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** The address of health and metrics, available when the worker listens. */
  async url(): Promise<string> {
    const started = () => this.log.find(({ msg }) => msg === 'worker started');
    const { port } = await this.until('start', started);
    return `http://127.0.0.1:${String(port)}`;
  }

  /** Waits until the worker consumes commands. */
  async ready(): Promise<this> {
    const url = await this.url();
    await this.until('become ready', () => isAnswered(`${url}/health/ready`));
    return this;
  }
}

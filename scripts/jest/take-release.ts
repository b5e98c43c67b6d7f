import { chooseRelease, readRelease } from '../broker/releases/releases.ts';
import { requireInstallation } from '../broker/require-installation.ts';

const OPTION = '--release';

/**
 * Takes `--release 4.3` out of the arguments of a run, and has its private brokers be of that release, which is brought
 * if it is not there.
 *
 * @returns the other arguments
 * @throws {Error} if there is no such release, or it cannot be had
 */
export async function takeRelease(args: readonly string[]): Promise<readonly string[]> {
  const at = args.findIndex((arg) => arg === OPTION || arg.startsWith(`${OPTION}=`));
  if (at === -1) return args;
  const [, inOne] = args[at]?.split('=') ?? [];
  chooseRelease(readRelease(inOne ?? args[at + 1] ?? ''));
  const { version } = await requireInstallation();
  console.log(`RabbitMQ ${version}`);
  return args.toSpliced(at, inOne === undefined ? 2 : 1);
}

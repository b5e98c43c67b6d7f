/** The supported releases of RabbitMQ, oldest first, with the suite of Debian that holds each. */
export const SUITES = { '4.0': 'trixie', '4.3': 'sid' } as const;

export type Release = keyof typeof SUITES;

export const RELEASES = Object.keys(SUITES) as readonly Release[];

/** Names the release that private brokers are to be, for this process and those that it starts. */
const VARIABLE = 'RABBITMQ_RELEASE';

/** @throws {Error} naming the releases that there are */
export function readRelease(text: string): Release {
  const release = RELEASES.find((each) => each === text);
  if (release === undefined) throw new Error(`--release ${text} is none of ${RELEASES.join(', ')}`);
  return release;
}

/** The release that was chosen; undefined if any may be used. */
export function chosenRelease(): Release | undefined {
  const text = process.env[VARIABLE];
  return text === undefined || text === '' ? undefined : readRelease(text);
}

/**
 * Has every private broker of this process, and of those that it starts, be of this release.
 *
 * @throws {Error} naming the releases that there are
 */
export function chooseRelease(text: string): void {
  process.env[VARIABLE] = readRelease(text);
}

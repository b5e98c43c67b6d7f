import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { CommandType } from '#contracts';

import { sessionWorkload, type Workload } from '../driver/workload.ts';
import type { Stage } from '../stage/stage.ts';
import type { Size } from './trial.ts';

/** Something that may grow, and the sizes that are measured. The first is what the others are held against. */
export interface Scale {
  readonly title: string;
  readonly sizes: readonly Size[];
}

const COMMANDS = 6_000;
const PREFETCH = 100;
const IN_FLIGHT = 200;
/** The default of the setting. */
const DEFAULT_CONNECTIONS = 256;

export function scalesOn(stage: Stage): readonly Scale[] {
  return [
    { title: 'commands in flight', sizes: [10, 100, 1_000].map(inFlight) },
    { title: 'operators', sizes: [1, 100, 1_000].map((count) => operators(count, stage)) },
    { title: 'KiB of launch options', sizes: [0, 2, 4, 8].map(body) },
    { title: 'workers on one queue', sizes: [1, 2, 4].map(workers) },
  ];
}

function inFlight(count: number): Size {
  return {
    label: String(count),
    inFlight: 2 * count,
    commands: Math.min(COMMANDS, 250 * count),
    variables: {
      INTERACTIVE_PREFETCH: String(count),
      // One operation gets three quarters of them.
      PLATFORM_CONNECTIONS: String(Math.max(DEFAULT_CONNECTIONS, 2 * count)),
    },
  };
}

/** Commands of all of them in turn. */
function operators(count: number, { workplace, platform }: Stage): Size {
  const names = Array.from({ length: count }, (_, index) => (index === 0 ? 'default' : `operator-${index}`));
  const file = join(workplace.folder, `operators-${count}.json`);
  const credentials = { clientId: 'bench', secretKey: platform['PLATFORM_SECRET_KEY'] };
  writeFileSync(file, JSON.stringify(Object.fromEntries(names.slice(1).map((name) => [name, credentials]))));
  return {
    label: String(count),
    inFlight: IN_FLIGHT,
    commands: COMMANDS,
    variables: { INTERACTIVE_PREFETCH: String(PREFETCH), OPERATORS_FILE: file },
    workload: {
      ...sessionWorkload,
      command: (sequence) => ({
        ...sessionWorkload.command(sequence),
        headers: { operator: names[sequence % count] },
      }),
    },
  };
}

function body(kib: number): Size {
  return {
    label: String(kib),
    inFlight: IN_FLIGHT,
    commands: COMMANDS / 2,
    variables: { INTERACTIVE_PREFETCH: String(PREFETCH) },
    workload: gameWorkload(kib),
  };
}

function workers(count: number): Size {
  return {
    label: String(count),
    workers: count,
    inFlight: count * IN_FLIGHT,
    commands: COMMANDS,
    variables: { INTERACTIVE_PREFETCH: String(PREFETCH) },
  };
}

const OPTION = { table: 'Zürich ♠', seats: [1, 2, 3], theme: { isDark: true, scale: 15 } };
const LARGEST_BYTES = 8 * 1_024;

/** `game.open` with launch options of that many KiB, nested and of all kinds of values. */
function gameWorkload(kib: number): Workload {
  const options: Record<string, object> = {};
  const limit = Math.min(kib * 1_024, LARGEST_BYTES);
  const size = Buffer.byteLength(JSON.stringify({ 'option-100': OPTION })) - 1;
  for (let bytes = size; bytes + size < limit; bytes += size) options[`option-${100 + bytes}`] = OPTION;
  return {
    command: (sequence) => ({
      type: 'game.open' satisfies CommandType,
      data: {
        player: { id: `player-${sequence}`, nick: `Ace ${sequence}` },
        session: { lang: 'en', ...(kib > 0 && { launchOptions: options }) },
      },
    }),
    isRight: (sequence, answer) => {
      const { playerId, auth } = (answer ?? {}) as Record<string, unknown>;
      return playerId === `player-${sequence}` && auth === `auth-player-${sequence}`;
    },
  };
}

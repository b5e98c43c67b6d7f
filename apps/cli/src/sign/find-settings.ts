import type { CommandData } from '#contracts';
import {
  type Operation,
  type OperatorCredentials,
  type PlatformSettings,
  UNKNOWN_AUTH_TYPE,
} from '#platform';

import { periodAnHourAgo } from '../report/period.ts';
import { type CallResult, isSignatureRefused, isTaken, isVague } from '../worker-calls.ts';
import { ADVICE, problemOf } from './advice.ts';
import { type Ask, type Change, Probing } from './probing.ts';

/** A test player, for whom a session and a game are opened. */
export interface TestPlayer {
  readonly id: string;
  readonly currency?: string | undefined;
}

export const MOST_CALLS = 16;
/** The most sessions that are opened: once more for another `user-id`, and once more for another scheme. */
const MOST_OPENINGS = 3;
const DAY_MS = 24 * 60 * 60 * 1000;
/**
 * A player with an `authType` that the platform rejects after accepting the signature; no session is opened.
 */
const NOBODY = 'poker-bridge-probe';
const SESSION = { userId: NOBODY, authType: UNKNOWN_AUTH_TYPE };
const GAME = { player: { id: NOBODY }, session: { authType: UNKNOWN_AUTH_TYPE } };
const JSON_LIST = '["x"]';
const JSON_TEXT = '"y"';
const EXCLUDED = { y: { page: '7' } };
const BOOLEAN = { x: { y: true } };
const STRINGS = { a: JSON_LIST, z: JSON_TEXT };

/**
 * Finds the settings with which a platform accepts a worker's requests, with at most 16 calls. It tries the
 * current settings first, then the most frequent causes of a rejection.
 *
 * @param player a test player: at most 6 more calls open a session and a game, to find how they can be read
 * @throws as `ask` does
 */
export async function findSettings(
  ask: Ask,
  credentials: OperatorCredentials,
  player?: TestPlayer,
): Promise<Probing> {
  const finder = new Finder(ask, credentials);
  await finder.findAll();
  if (player && finder.isAnythingTaken) await finder.openFor(player);
  return finder;
}

/**
 * Finds settings that do not change a signature: the place of the rake report's parameters, and whether a
 * game has a session id.
 *
 * @param operations rejected by the platform although their signature is right
 */
export async function findUnsigned(
  ask: Ask,
  credentials: OperatorCredentials,
  operations: ReadonlySet<Operation>,
): Promise<Probing> {
  const finder = new Finder(ask, credentials);
  if (operations.has('report.rake.fetch')) await finder.findRakePlace();
  if (operations.has('game.open')) await finder.findGame();
  return finder;
}

class Finder extends Probing {
  async findAll(): Promise<void> {
    const isSessionTaken = await this.#findJsonStrings();
    if (isSessionTaken && (await this.#checkReport())) await this.findRakePlace();
    if (await this.findGame()) await this.#findNested();
    if (!this.isAnythingTaken && this.wasRefused) this.problems.splice(0, Infinity, ADVICE.key);
    if (!this.wasRefused && (await this.#isWrongSignatureTaken())) this.problems.push(ADVICE.unchecked);
  }

  /** Opens a session and a game, and repeats them with each setting that the response suggests. */
  async openFor({ id, currency }: TestPlayer): Promise<void> {
    const money = currency === undefined ? {} : { currency };
    await this.#open('session.create', { userId: id, ...money });
    await this.#open('game.open', { player: { id, ...money } });
  }

  async #open<O extends Operation>(operation: O, data: CommandData[O]): Promise<void> {
    let [settings, answer]: [PlatformSettings | undefined, CallResult] = [undefined, 'success'];
    for (let calls = 0; calls < MOST_OPENINGS && settings !== this.settings; calls += 1) {
      ({ settings } = this);
      answer = await this.call(operation, data);
    }
    if (answer !== 'success') this.problems.push(problemOf(operation, answer, ADVICE.key, ADVICE.player));
  }

  /**
   * Finds how JSON in strings is signed at the top level of a session.
   *
   * @returns true if the platform accepts one
   */
  async #findJsonStrings(): Promise<boolean> {
    const { jsonStrings: own } = this.settings;
    const jsonStrings = own === 'none' ? 'containers' : own;
    const ways: readonly Change[] = [
      { jsonStrings, jsonPlacement: 'in-place' },
      { jsonStrings: 'none' },
      { jsonStrings, jsonPlacement: 'merge' },
    ];
    if (!(await this.adopt('session.create', { ...SESSION, nick: JSON_LIST }, ways))) {
      const plain = await this.call('session.create', SESSION);
      this.problems.push(isTaken(plain) ? ADVICE.strings : problemOf('session.create', plain, ADVICE.key));
      return isTaken(plain);
    }
    if (this.settings.jsonStrings === 'none') {
      this.irrelevant.add('SIGNATURE_JSON_PLACEMENT');
    } else if (!isTaken(await this.call('session.create', { ...SESSION, nick: JSON_TEXT }))) {
      this.change({ jsonStrings: jsonStrings === 'all' ? 'containers' : 'all' });
    }
    return true;
  }

  /** @returns true if the signature is right, and therefore that of the rake report, too */
  async #checkReport(): Promise<boolean> {
    const answer = await this.call('report.ad-hoc.fetch', periodAnHourAgo(DAY_MS));
    if (!isTaken(answer)) this.problems.push(problemOf('report.ad-hoc.fetch', answer, ADVICE.pages));
    return !isSignatureRefused(answer);
  }

  async findRakePlace(): Promise<void> {
    for (const change of this.presentFirst(PLACES)) {
      const answer = await this.call('report.rake.fetch', periodAnHourAgo(DAY_MS), change);
      if (answer !== 'success' && answer.code !== 'PLATFORM_PROTOCOL_ERROR') continue;
      this.change(change);
      return;
    }
    this.problems.push(ADVICE.place);
  }

  /** Finds how a minimal game is signed, and whether the platform accepts its session id. */
  async findGame(): Promise<boolean> {
    const answer = await this.call('game.open', GAME);
    const own = this.settings;
    const isRefused = isSignatureRefused(answer);
    // The platform may reject a session id without naming it.
    const isRight = isTaken(answer) && (!isVague(answer) || own.sessionId === 'omit');
    const clients = isRefused ? CLIENTS : [{}];
    const withoutId = clients.map((client) => ({ ...client, sessionId: 'omit' as const }));
    const isBetter = (each: CallResult): boolean => isTaken(each) && !(isTaken(answer) && isVague(each));
    const found = isRight ? answer : await this.adopt('game.open', GAME, withoutId, isBetter);
    if (!found && !isTaken(answer)) this.problems.push(problemOf('game.open', answer, ADVICE.game));
    if (found && (isRefused || own.sessionId === 'omit')) await this.#findIds(own, isRefused, found);
    return isTaken(found ?? answer);
  }

  /**
   * Finds how the ids of player and session are signed, which have the same name, and whether the platform
   * accepts both. It checks the signature before the id.
   *
   * @param own the settings before the first game
   * @param without the answer to a game without session id
   */
  async #findIds(own: PlatformSettings, isRefused: boolean, without: CallResult): Promise<void> {
    const isRaw = this.settings.schemeV3 === 'raw-body';
    if (isRaw && own.sessionId === 'omit') return;
    const isTried =
      isRefused &&
      own.sessionId === 'derive' &&
      this.settings.openGameClient === own.openGameClient &&
      own.schemeV3 === 'parameters';
    const left = isTried
      ? REPEATED_NAMES.filter((each) => each.repeatedNames !== own.repeatedNames)
      : REPEATED_NAMES;
    for (const way of isRaw ? [{}] : this.presentFirst<Change>(left)) {
      const answer = await this.call('game.open', GAME, { ...way, sessionId: 'derive' });
      if (isSignatureRefused(answer)) continue;
      const isAccepted = isTaken(answer) && isVague(answer) === isVague(without);
      this.change({ ...way, ...(isAccepted && { sessionId: own.sessionId }) });
      return;
    }
  }

  /** Finds how launch options and booleans are signed. */
  async #findNested(): Promise<void> {
    const isRaw = this.settings.schemeV3 === 'raw-body';
    if (isRaw) for (const variable of OF_PARAMETERS) this.irrelevant.add(variable);
    if (isRaw && this.settings.jsonStrings === 'none') {
      for (const variable of OF_MEMBERS) this.irrelevant.add(variable);
      return;
    }
    const everything = isRaw ? [BOOLEAN, EXCLUDED] : [BOOLEAN, EXCLUDED, STRINGS];
    const isUnchanged = this.settings === this.credentials.settings;
    if (isUnchanged && (await this.#takesOptions(...everything))) return;
    const { scalars, exclude } = this.settings;
    const isBooleanTaken = await this.#takesOptions(BOOLEAN);
    if (!isBooleanTaken) this.change({ scalars: scalars === 'php' ? 'json' : 'php' });
    if (!(await this.#takesOptions(EXCLUDED))) this.change({ exclude: exclude === 'top' ? 'deep' : 'top' });
    if (this.calls >= MOST_CALLS || (await this.#takesOptions(...everything))) return;
    if (this.calls + 2 <= MOST_CALLS && (await this.#takesOptions(BOOLEAN, EXCLUDED))) {
      this.notes.push(ADVICE.noteOnStrings);
    } else if (this.calls < MOST_CALLS && !isBooleanTaken && (await this.#takesOptions(EXCLUDED))) {
      this.change({ scalars });
      this.problems.push(ADVICE.booleans);
    } else this.problems.push(ADVICE.nested);
  }

  /**
   * Returns true if the platform accepts launch options; those of a session if games are signed by their
   * bytes.
   */
  async #takesOptions(...options: readonly object[]): Promise<boolean> {
    const launchOptions = Object.assign({}, ...options) as Record<string, unknown>;
    const isRaw = this.settings.schemeV3 === 'raw-body';
    const answer = isRaw
      ? await this.call('session.create', { ...SESSION, nick: JSON.stringify(launchOptions) })
      : await this.call('game.open', { ...GAME, session: { ...GAME.session, launchOptions } });
    return isTaken(answer);
  }

  async #isWrongSignatureTaken(): Promise<boolean> {
    const { secretKey = '' } = this.credentials;
    return isTaken(await this.call('session.create', SESSION, {}, `${secretKey}-`));
  }
}

const CLIENTS: readonly Change[] = [
  { openGameClient: 'keep', schemeV3: 'parameters' },
  { openGameClient: 'drop', schemeV3: 'parameters' },
  { schemeV3: 'raw-body' },
];
const REPEATED_NAMES = [{ repeatedNames: 'all' }, { repeatedNames: 'last' }] as const;
const PLACES = (['form', 'query', 'both'] as const).map((rakeParametersIn) => ({ rakeParametersIn }));
/** Settings without effect if the bytes of a body are signed. */
const OF_PARAMETERS = ['SIGNATURE_OPEN_GAME_CLIENT', 'SIGNATURE_REPEATED_NAMES'] as const;
const OF_MEMBERS = ['SIGNATURE_SCALARS', 'SIGNATURE_EXCLUDE'] as const;

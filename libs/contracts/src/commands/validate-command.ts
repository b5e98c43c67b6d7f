import 'reflect-metadata';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';

import type { CommandType } from '../command-types.ts';
import type { Violation } from '../errors/error-body.ts';
import { CommandError } from '../errors/command-error.ts';
import { GameOpen, GamePlayer, GameSession } from './game-open.ts';
import { AdHocReportFetch, RakeReportFetch } from './report-fetch.ts';
import { SessionCreate } from './session-create.ts';

/** The data of each command as a class. */
export interface CommandData {
  'session.create': SessionCreate;
  'game.open': GameOpen;
  'report.ad-hoc.fetch': AdHocReportFetch;
  'report.rake.fetch': RakeReportFetch;
}

type Shape = new () => object;
type Members = ReadonlyMap<string, Shape | undefined>;

const SHAPES: { readonly [T in CommandType]: new () => CommandData[T] } = {
  'session.create': SessionCreate,
  'game.open': GameOpen,
  'report.ad-hoc.fetch': AdHocReportFetch,
  'report.rake.fetch': RakeReportFetch,
};
const NESTED = new Map<Shape, Readonly<Record<string, Shape>>>([
  [GameOpen, { player: GamePlayer, session: GameSession }],
]);
const MEMBERS = new Map<Shape, Members>();

/**
 * A command's data as an instance of its class.
 *
 * @throws CommandError `VALIDATION_FAILED` with a violation for each fault, unknown members among them.
 *   No violation repeats a value: it may be a player's.
 */
export function validateCommand<T extends CommandType>(type: T, data: unknown): CommandData[T] {
  const violations: Violation[] = [];
  if (!isObject(data)) {
    violations.push({ pointer: '', message: 'must be an object' });
    throw new CommandError('VALIDATION_FAILED', { violations });
  }
  const instance = instantiate(SHAPES[type], data, '', violations);
  collect(validateSync(instance, { forbidUnknownValues: true }), '', violations);
  if (violations.length > 0) throw new CommandError('VALIDATION_FAILED', { violations });
  return instance as CommandData[T];
}

function instantiate(
  shape: Shape,
  data: Record<string, unknown>,
  path: string,
  violations: Violation[],
): object {
  const members = membersOf(shape);
  const instance = new shape() as Record<string, unknown>;
  for (const [name, value] of Object.entries(data)) {
    const pointer = `${path}/${escapePointer(name)}`;
    if (!members.has(name)) {
      if (violations.length < MAX_VIOLATIONS)
        violations.push({ pointer, message: 'is not a member of this command' });
      continue;
    }
    const nested = members.get(name);
    instance[name] = nested && isObject(value) ? instantiate(nested, value, pointer, violations) : value;
  }
  return instance;
}

function collect(errors: readonly ValidationError[], path: string, violations: Violation[]): void {
  for (const { property, constraints, children } of errors) {
    const pointer = `${path}/${escapePointer(property)}`;
    const [message] = Object.values(constraints ?? {});
    if (message !== undefined) violations.push({ pointer, message });
    else if (children) collect(children, pointer, violations);
  }
}

/** A body of unknown members must not make an answer many times its size. */
const MAX_VIOLATIONS = 32;

/** The names that the decorators of a class describe, with the class of those that hold an object. */
function membersOf(shape: Shape): Members {
  let members = MEMBERS.get(shape);
  if (members === undefined) {
    const described = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
    const nested = NESTED.get(shape);
    members = new Map(described.map(({ propertyName }) => [propertyName, nested?.[propertyName]]));
    MEMBERS.set(shape, members);
  }
  return members;
}

/** As RFC 6901, and short: an unknown name comes from outside and may be as long as the body. */
function escapePointer(name: string): string {
  return name.slice(0, 100).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

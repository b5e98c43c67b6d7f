import { plainToInstance, type ClassConstructor } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { Problem, type Violation } from './problem.ts';

/**
 * Validates a request's body with a class; unknown members are refused.
 * @param at JSON pointer to the body within the request
 * @throws Problem 422 with every violation
 */
export function validBody<T extends object>(type: ClassConstructor<T>, body: unknown, at = ''): T {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Problem(422, 'The body is not what this resource takes.', [
      { pointer: at, message: 'must be an object' },
    ]);
  const instance = plainToInstance(type, body, { exposeUnsetFields: false });
  const violations = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true }).flatMap(
    (error) => violationsOf(error, at),
  );
  if (violations.length > 0) throw new Problem(422, 'The body is not what this resource takes.', violations);
  return instance;
}

function violationsOf(error: ValidationError, at: string): Violation[] {
  const pointer = `${at}/${error.property}`;
  const own = Object.values(error.constraints ?? {}).map((message) => ({ pointer, message }));
  return [...own, ...(error.children ?? []).flatMap((child) => violationsOf(child, pointer))];
}

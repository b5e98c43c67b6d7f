import { getMetadataStorage, type MetadataStorage } from 'class-validator';

import type { Shape } from '../definition.ts';

/** What class-validator stores for one decorator. */
export type Rule = ReturnType<MetadataStorage['getTargetValidationMetadatas']>[number];

/**
 * The rules of a class's decorators, by member.
 *
 * @throws TypeError for a declared member without a rule: it would be refused as unknown, and not be documented
 */
export function rulesOf(shape: Shape): ReadonlyMap<string, readonly Rule[]> {
  const storage = getMetadataStorage();
  const rules = storage.getTargetValidationMetadatas(shape, '', false, false);
  const byMember = new Map(Object.entries(storage.groupByPropertyName(rules)));
  // Fields are defined on every instance, even without a value.
  for (const name of Object.keys(new shape())) {
    if (!byMember.has(name)) throw new TypeError(`${shape.name}.${name} has no rule`);
  }
  return byMember;
}

import { getMetadataStorage, type MetadataStorage } from 'class-validator';

/** A class whose members carry decorators of class-validator. */
export type Shape<T extends object = object> = new () => T;

/** What class-validator keeps of one decorator. */
export type Rule = ReturnType<MetadataStorage['getTargetValidationMetadatas']>[number];

/**
 * The rules that decorators laid down for a class, by member.
 *
 * @throws TypeError for a member that is declared and has no rule: it would be refused as unknown, and documented nowhere
 */
export function rulesOf(shape: Shape): ReadonlyMap<string, readonly Rule[]> {
  const storage = getMetadataStorage();
  const rules = storage.getTargetValidationMetadatas(shape, '', false, false);
  const byMember = new Map(Object.entries(storage.groupByPropertyName(rules)));
  // Fields are defined on every instance, also those that are given no value.
  for (const name of Object.keys(new shape())) {
    if (!byMember.has(name)) throw new TypeError(`${shape.name}.${name} has no rule`);
  }
  return byMember;
}

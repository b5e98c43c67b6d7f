/** A class whose members have class-validator decorators; apart from them, so that its type needs no class-validator. */
export type Shape<T extends object = object> = new () => T;

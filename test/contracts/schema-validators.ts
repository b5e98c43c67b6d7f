import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

import { type JsonSchema, relocated } from '../../scripts/contract-documents/schemas/json-schema.ts';
import { schemaName, SCHEMAS } from '../../scripts/contract-documents/schemas/schemas.ts';

const DEFINITIONS = 'urn:poker-bridge:definitions';

/** A validator that knows the formats of the contract and reports every fault. */
export function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictRequired: false, strictTypes: false });
  // The package is CommonJS, so its function is a property of the ESM default import.
  (formats as unknown as typeof formats.default)(ajv);
  return ajv;
}

const ajv = newAjv();
ajv.addSchema({ $id: DEFINITIONS, $defs: SCHEMAS });

const compiled = new Map<string | JsonSchema, ValidateFunction>();

/** Validates a value with a schema, or with that of the named message. Returns the faults, one per line. */
export function faultsBySchema(schema: string | JsonSchema, value: unknown): readonly string[] {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    const reference = typeof schema === 'string' ? { $ref: `#/$defs/${schemaName(schema)}` } : schema;
    validate = ajv.compile(relocated(reference, `${DEFINITIONS}#/$defs/`));
    compiled.set(schema, validate);
  }
  return faultsBy(validate, value);
}

export function faultsBy(validate: ValidateFunction, value: unknown): readonly string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

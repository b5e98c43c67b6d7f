import { extname } from 'node:path';

import { usageError } from '../exit.ts';

const FORMATS = ['csv', 'ndjson', 'json', 'parquet'] as const;
export type ReportFormat = (typeof FORMATS)[number];

/** The format that the name of a file asks for. @throws ExitError if there is no such format */
export function formatOf(path: string): ReportFormat {
  const format = FORMATS.find((each) => extname(path).toLowerCase() === `.${each}`);
  if (format) return format;
  throw usageError(`--out ends in ${FORMATS.map((each) => `.${each}`).join(', ')}; ${path} does not`);
}

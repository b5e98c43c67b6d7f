/** The maximum size of a page. */
const BYTES = 16 * 1024 * 1024 - 4096;

const META = '"meta":{"total-count":1000,"page-count":1,"current-page":1,"per-page":1000}';

/** Returns a rake report page of the maximum size, filled with records that have one additional member. */
function pageOf(memberOf: (index: number) => string): Buffer {
  const records: string[] = [];
  for (let [index, bytes] = [0, 0]; bytes < BYTES - 300_000; index += 1) {
    const record =
      `{"type":"players-rake","id":"u-${index}-1-2026-03-01","attributes":` +
      `{"user-id":"u-${index}","currency":"EUR","value":${index}${memberOf(index)}}}`;
    records.push(record);
    bytes += record.length + 1;
  }
  return Buffer.from(`{"data":[${records.join()}],"links":{},${META}}`);
}

/** A page with records as long as those of the ad hoc report. */
export const largePage = (): Buffer =>
  pageOf((index) => Array.from({ length: 20 }, (_, at) => `,"amount-${at}":${index * at}`).join(''));

/**
 * A page with the content that is most expensive to parse and write. A quadratic step would take a thousand
 * times as long.
 */
export function hostilePage(): Buffer {
  const names = Array.from({ length: 5_000 }, (_, at) => `"a-${at}":{}`).join();
  const numbers = `${'12345678901234567890,'.repeat(2_900)}1`;
  const members = [
    `,"deep":${'['.repeat(12)}${'{},'.repeat(20_000)}1${']'.repeat(12)}`,
    `,"names":{${names}}`,
    `,"numbers":[${numbers}]`,
    `,"${'-a'.repeat(20_000)}":"${'\\u00e4'.repeat(2_000)}"`,
    `,"${'-'.repeat(50_000)}":"${'\\"{['.repeat(2_000)}"`,
    `,"number":${' '.repeat(25_000)}${'1234567890'.repeat(2_500)}.5`,
  ];
  return pageOf((index) => members[index % members.length] ?? '');
}

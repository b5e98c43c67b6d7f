import { adHocAttributes } from '../../support/platform-answers.ts';

/** As many digits as each number of a record has. */
const DIGITS = 9;
const PLACE = '0'.repeat(DIGITS);

/** The text of one page, and where the numbers of its records stand in it. */
interface Template {
  readonly text: Buffer;
  readonly places: readonly number[];
}

/**
 * The pages of an ad hoc report with all members that the interface document has. Only the numbers of the records are
 * written for each page, so that a report of any size takes neither memory nor time.
 */
export class ReportPages {
  readonly #records: number;
  readonly #templates = new Map<number, Template>();

  constructor(records: number) {
    this.#records = records;
  }

  /** @param page from 1 */
  page(page: number, perPage: number): Buffer {
    const first = (page - 1) * perPage;
    const count = Math.max(0, Math.min(perPage, this.#records - first));
    const { text, places } = this.#template(count);
    const data = Buffer.from(text);
    for (const [index, place] of places.entries()) {
      // Twice in each record: in its id, and in that of its player.
      data.write(String(first + Math.floor(index / 2)).padStart(DIGITS, '0'), place, 'latin1');
    }
    const meta = {
      'total-count': this.#records,
      'page-count': Math.ceil(this.#records / perPage),
      'current-page': page,
      'per-page': perPage,
    };
    return Buffer.concat([data, Buffer.from(`"meta":${JSON.stringify(meta)}}`)]);
  }

  #template(count: number): Template {
    const known = this.#templates.get(count);
    if (known) return known;
    const records = Array.from({ length: count }, (_, index) => JSON.stringify(recordOf(index)));
    const text = Buffer.from(`{"data":[${records.join(',')}],`);
    const places: number[] = [];
    for (let at = text.indexOf(PLACE); at >= 0; at = text.indexOf(PLACE, at + DIGITS)) places.push(at);
    const template = { text, places };
    this.#templates.set(count, template);
    return template;
  }
}

function recordOf(index: number): object {
  const attributes = adHocAttributes(`player-${PLACE}`, 1_000 * index);
  const currency = index % 2 === 0 ? 'EUR' : 'USD';
  return {
    type: 'ad-hoc-report',
    id: `player-${PLACE}-1-${attributes.date}`,
    attributes: { ...attributes, currency },
  };
}

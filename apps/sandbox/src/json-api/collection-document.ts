/** One resource of a collection. */
export interface Resource {
  readonly type: string;
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A page of a collection: its number, its size, and the total of the records. */
export interface Page {
  /** From 1. */
  readonly number: number;
  readonly perPage: number;
  readonly totalCount: number;
}

/** The number of pages; 0 for an empty collection. */
export function pageCount(page: Page): number {
  return Math.ceil(page.totalCount / page.perPage);
}

/**
 * The collection envelope of the interface document.
 * @param links the absolute URL of each link, by its name
 */
export function collectionDocument(
  data: readonly Resource[],
  page: Page,
  links: Readonly<Record<string, string>>,
) {
  return {
    data,
    links: Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }])),
    meta: {
      'total-count': page.totalCount,
      'page-count': pageCount(page),
      'current-page': page.number,
      'per-page': page.perPage,
    },
  };
}

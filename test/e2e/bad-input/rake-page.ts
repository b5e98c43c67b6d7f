/** The platform's answer with one page of a rake report: one record a page. */
export function rakePage(page: number, pages: number): object {
  return {
    data: [
      {
        type: 'players-rake',
        id: `r-${page}`,
        attributes: { 'user-id': 'p-1', currency: 'EUR', value: page },
      },
    ],
    links: { self: { href: 'https://platform.example' } },
    meta: { 'total-count': pages, 'page-count': pages, 'current-page': page, 'per-page': 1 },
  };
}

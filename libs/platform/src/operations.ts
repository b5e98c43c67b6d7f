/** The four calls of the interface document, by the names that metrics, health and logs use. */
export const OPERATIONS = [
  'session.create',
  'game.open',
  'report.ad-hoc.fetch',
  'report.rake.fetch',
] as const;
export type Operation = (typeof OPERATIONS)[number];

import type { Reading, Series } from './plain-metric.ts';

/** A series of a counter or gauge: its user sets the value. */
export class PlainNumber implements Series {
  value = 0;

  read(_: string, labels: Reading['labels']): Reading[] {
    return [{ labels, value: this.value }];
  }
}

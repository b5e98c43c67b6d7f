import { html, type Html } from '../pages/html.ts';
import type { Operation } from '../operations/operation.ts';
import type { OperationCounters } from '../traffic/traffic-log.ts';

/** How many requests of each operation were answered, and how. */
export function figures(counters: Readonly<Record<Operation, OperationCounters>>): Html {
  return html`<div class="figures">
    ${Object.entries(counters).map(([operation, { received, answered, unanswered }]) => {
      const refused = Object.entries(answered)
        .filter(([status]) => Number(status) >= 400)
        .map(([status, count]) => `${count} × ${status}`);
      const rest = [...refused, ...(unanswered > 0 ? [`${unanswered} cut off`] : [])];
      return html`<p>
        <span class="count">${received}</span> ${operation}
        <span class="quiet">${rest.join(', ')}</span>
      </p>`;
    })}
  </div>`;
}

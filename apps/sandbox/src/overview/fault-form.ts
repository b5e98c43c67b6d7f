import type { FaultKind } from '../faults/fault.ts';
import { html, type Html } from '../pages/html.ts';
import { OPERATIONS } from '../operations/operation.ts';

interface Field {
  readonly name: string;
  readonly label: string;
  /** A number is sent as a number. */
  readonly value: number | string;
  readonly isOptional?: boolean;
}

interface Choice {
  readonly kind: FaultKind;
  readonly label: string;
  readonly fields?: readonly Field[];
}

/** Every kind of fault, with values that show it. */
export const CHOICES: readonly Choice[] = [
  {
    kind: 'status',
    label: 'answers with an error',
    fields: [
      { name: 'status', label: 'Status', value: 503 },
      { name: 'retryAfter', label: 'Retry-After', value: '', isOptional: true },
    ],
  },
  {
    kind: 'latency',
    label: 'answers late',
    fields: [
      { name: 'fixedMs', label: 'Delay in ms', value: 3_000 },
      { name: 'spreadMs', label: 'Random part in ms', value: 0 },
    ],
  },
  { kind: 'reset-before', label: 'resets the connection, nothing is done' },
  { kind: 'reset-after', label: 'resets the connection once it is done' },
  {
    kind: 'html',
    label: 'a proxy answers with a page',
    fields: [{ name: 'status', label: 'Status', value: 502 }],
  },
  {
    kind: 'redirect',
    label: 'redirects',
    fields: [{ name: 'location', label: 'Location', value: 'https://elsewhere.example/' }],
  },
  {
    kind: 'truncated',
    label: 'cuts the answer off',
    fields: [{ name: 'bodyShare', label: 'After this share', value: 0.5 }],
  },
  {
    kind: 'drip',
    label: 'answers drop by drop',
    fields: [
      { name: 'bytes', label: 'Bytes', value: 16 },
      { name: 'intervalMs', label: 'Every … ms', value: 100 },
    ],
  },
  { kind: 'wrong-document', label: 'answers with another document' },
  { kind: 'empty-body', label: 'answers without a body' },
  { kind: 'gzip', label: 'compresses without being asked' },
  {
    kind: 'clamped-per-page',
    label: 'reports: gives smaller pages',
    fields: [{ name: 'perPage', label: 'Records', value: 20 }],
  },
  { kind: 'repeated-page', label: 'reports: repeats a page' },
  { kind: 'other-page', label: 'reports: gives the page before' },
  { kind: 'endless-report', label: 'reports: never ends' },
  {
    kind: 'changing-total',
    label: 'reports: changes the total',
    fields: [{ name: 'by', label: 'By', value: 1 }],
  },
  { kind: 'huge-amounts', label: 'reports: amounts beyond 2^53' },
  { kind: 'odd-amounts', label: 'reports: amounts that are no integers' },
];

/** Switches a fault on; live.js sends it to the control API. */
export function faultForm(): Html {
  return html`<form id="fault-form">
    <label>
      The platform
      <select name="kind">
        ${CHOICES.map(({ kind, label }) => html`<option value="${kind}">${label}</option>`)}
      </select>
    </label>
    ${CHOICES.map(fieldsOf)}
    <label>
      For
      <select name="operation">
        <option value="">every operation</option>
        ${OPERATIONS.map((operation) => html`<option>${operation}</option>`)}
      </select>
    </label>
    <label>
      Requests
      <input name="count" type="number" min="1" placeholder="all" />
    </label>
    <button type="submit">Switch on</button>
    <p id="fault-error" class="error" role="alert"></p>
  </form>`;
}

function fieldsOf({ kind, fields = [] }: Choice): Html {
  return html`<fieldset data-kind="${kind}" hidden disabled>
    ${fields.map(
      ({ name, label, value, isOptional = false }) =>
        html`<label>
          ${label}
          ${
            typeof value === 'number'
              ? html`<input name="${name}" type="number" step="any" value="${value}" required />`
              : html`<input name="${name}" value="${value}" ${isOptional ? undefined : html`required`} />`
          }
        </label>`,
    )}
  </fieldset>`;
}

import { FAULTS, membersOf, type FaultKind } from '../faults/faults.ts';
import { OPERATIONS } from '../interface/operation.ts';
import { html, type Html } from './html.ts';

const KINDS = Object.keys(FAULTS) as FaultKind[];

/** Switches a fault on; live.js sends it to the control API. */
export function faultForm(): Html {
  return html`<form id="fault-form">
    <label>
      The platform
      <select name="kind">
        ${KINDS.map((kind) => html`<option value="${kind}">${FAULTS[kind].label}</option>`)}
      </select>
    </label>
    ${KINDS.map((kind) => html`<fieldset data-kind="${kind}" hidden disabled>${membersOf(kind).map(field)}</fieldset>`)}
    <label>
      For
      <select name="operation">
        <option value="">every operation</option>
        ${OPERATIONS.map((operation) => html`<option>${operation}</option>`)}
      </select>
    </label>
    <label>Requests <input name="count" type="number" min="1" placeholder="all" /></label>
    <button type="submit">Switch on</button>
    <p id="fault-error" class="error" role="alert"></p>
  </form>`;
}

function field([name, { shown }]: ReturnType<typeof membersOf>[number]): Html {
  if (shown === undefined) return html``;
  const type = typeof shown === 'number' ? html`type="number" step="any"` : undefined;
  return html`<label>
    ${name} <input name="${name}" value="${shown}" ${type} ${shown === '' ? undefined : html`required`} />
  </label>`;
}

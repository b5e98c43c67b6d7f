/** A piece of HTML that is already escaped. */
export class Html {
  constructor(readonly text: string) {}
}

/** A value of a template: text, which is escaped, or HTML, which is not. */
export type Content = Html | readonly Html[] | string | number | undefined;

/**
 * Builds HTML from a template. Every value that is not HTML is escaped, for an element as for a quoted attribute;
 * undefined becomes nothing.
 */
export function html(template: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(String.raw({ raw: template }, ...values.map(markup)));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function markup(value: Content): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Formats a time, to the second, in UTC. */
export function instant(ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}

/** A part of a page with its heading. */
export function section(id: string, heading: string, content: Html): Html {
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    ${content}
  </section>`;
}

import { describe, expect, it } from '@jest/globals';
import { html } from './html.ts';

describe('html', () => {
  it('takes values as text, in elements and in attributes', () => {
    const hostile = `<script>'&amp;"`;
    expect(html`<p title="${hostile}">${hostile}</p>`.text).toBe(
      '<p title="&lt;script&gt;&#39;&amp;amp;&quot;">&lt;script&gt;&#39;&amp;amp;&quot;</p>',
    );
  });

  it('takes HTML as it is, one or several pieces, and nothing for undefined', () => {
    const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
    expect(
      html`<ul>
          ${items}
        </ul>
        ${html`<hr />`}${undefined}${0}`.text,
    ).toBe('<ul><li>a</li><li>&lt;b&gt;</li></ul><hr>0');
  });
});

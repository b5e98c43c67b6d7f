import { describe, expect, it } from '@jest/globals';
import { html } from './html.ts';

describe('html', () => {
  it('escapes values, in elements and in attributes', () => {
    const hostile = `<script>'&amp;"`;
    expect(html`<p title="${hostile}">${hostile}</p>`.text).toBe(
      '<p title="&lt;script&gt;&#39;&amp;amp;&quot;">&lt;script&gt;&#39;&amp;amp;&quot;</p>',
    );
  });

  it('keeps HTML unchanged, one or several pieces, and omits undefined', () => {
    const items = ['a', '<b>'].map((item) => html`<i>${item}</i>`);
    expect(html`${items}${html`<b>c</b>`}${undefined}${0}`.text).toBe('<i>a</i><i>&lt;b&gt;</i><b>c</b>0');
  });
});

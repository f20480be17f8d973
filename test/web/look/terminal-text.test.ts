import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderHtml } from '../../../api/http/pages/html.ts';
import { terminalParts, terminalText } from '../../../web/look/terminal-text.ts';
import { visibleText } from '../../../web/look/visible-text.ts';

const E = '\u001b';
const shown = (line: string, found = '') => renderHtml(terminalText(line, found));

/** Each line with its markup. */
const ROWS: readonly (readonly [what: string, line: string, markup: string])[] = [
  ['plain text', 'npm ci', 'npm ci'],
  ['a colour', `${E}[31mred${E}[0m not`, '<span class="t-1">red</span> not'],
  ['a bright colour, as its colour', `${E}[92mok`, '<span class="t-2">ok</span>'],
  ['the default colour', `${E}[31mred${E}[39m not`, '<span class="t-1">red</span> not'],
  ['several at once', `${E}[1;4;33mwarn`, '<span class="t-bold t-underline t-3">warn</span>'],
  [
    'codes that end others',
    `${E}[1;3mab${E}[22mc`,
    '<span class="t-bold t-italic">ab</span><span class="t-italic">c</span>',
  ],
  ['no code is the reset', `${E}[31mred${E}[m not`, '<span class="t-1">red</span> not'],
  ['a ground, with a colour that can be read on it', `${E}[37;41mbad`, '<span class="t-on-1">bad</span>'],
  ['inverse', `${E}[7mturned${E}[27m back`, '<span class="t-inverse">turned</span> back'],
  ['dim', `${E}[2mquiet`, '<span class="t-dim">quiet</span>'],
  ['a colour of 256', `${E}[38;5;196mred`, '<span class="t-1">red</span>'],
  ['one of the cube that is between two', `${E}[38;5;208morange`, '<span class="t-3">orange</span>'],
  ['a grey of 256', `${E}[38;5;240mgrey`, '<span class="t-0">grey</span>'],
  ['a true colour', `${E}[38;2;10;20;250mblue`, '<span class="t-4">blue</span>'],
  ['colons between codes', `${E}[38:5:196mred`, '<span class="t-1">red</span>'],
  ['two in one style are one', `${E}[31mre${E}[31md`, '<span class="t-1">red</span>'],
  ['a colour there is not', `${E}[38;5;999mno`, 'no'],
  ['codes nobody knows', `${E}[777;5mno`, 'no'],
  ['a colour that is cut off', `${E}[38;2;1mno`, 'no'],
];

/** Lines that want to do something else than to be read, with what is left of them. */
const HOSTILE: readonly (readonly [what: string, line: string, markup: string])[] = [
  ['markup', '<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  [
    'markup in colour',
    `${E}[31m<img src=x onerror=alert(1)>`,
    '<span class="t-1">&lt;img src=x onerror=alert(1)&gt;</span>',
  ],
  ['an attribute', `" onmouseover="alert(1)`, '&quot; onmouseover=&quot;alert(1)'],
  ['a class by codes', `${E}[31;"><script>m`, '[31;&quot;&gt;&lt;script&gt;m'],
  ['the cursor', `a${E}[2J${E}[1;1Hb`, 'ab'],
  ['the title of the window', `a${E}]0;owned\u0007b`, 'ab'],
  ['a link', `${E}]8;;https://evil.example${E}\\text${E}]8;;${E}\\`, 'text'],
  ['a link that is not ended', `${E}]8;;javascript:alert(1)`, ''],
  ['overwriting what was there', 'safe\rrm -rf', 'safe rm -rf'],
  ['going back', 'safe\b\b\b\bevil', 'safeevil'],
  ['the other direction', 'a\u202etxt.exe', 'atxt.exe'],
  ['an isolate', 'a\u2066b\u2069', 'ab'],
  ['a NUL', 'a\u0000b', 'ab'],
  ['an escape alone', `a${E}`, 'a'],
  ['a control of one byte', 'a\u009b31mb', 'ab'],
];

describe('a line of terminal output', () => {
  for (const [what, line, markup] of ROWS) it(`shows ${what}`, () => assert.equal(shown(line), markup));
  for (const [what, line, markup] of HOSTILE) {
    it(`is harmless with ${what}`, () => {
      assert.equal(shown(line), markup);
      assert.equal(visibleText(shown(line)), markup, 'no character is left that cannot be seen');
    });
  }

  it('has no inline style, and no class but those of the stylesheet', () => {
    for (const [, line] of [...ROWS, ...HOSTILE]) {
      for (const [, classes = ''] of shown(line).matchAll(/class="([^"]*)"/g)) {
        assert.match(classes, /^t-(bold|dim|italic|underline|strike|inverse|(on-)?[0-7])( t-[a-z0-9-]+)*$/);
      }
      assert.ok(!shown(line).includes('style='));
    }
  });

  it('marks what was searched for, across colours and whatever its case', () => {
    assert.equal(shown('an Error here, error', 'error'), 'an <mark>Error</mark> here, <mark>error</mark>');
    assert.equal(
      shown(`${E}[31mER${E}[0mROR: no`, 'error'),
      '<span class="t-1"><mark>ER</mark></span><mark>ROR</mark>: no',
    );
    assert.equal(shown('<b>', 'b'), '&lt;<mark>b</mark>&gt;');
    assert.equal(shown('aaa', 'aa'), '<mark>aa</mark>a');
    assert.equal(shown('İstanbul', 'stan'), 'İstanbul', 'a letter that has another length in lower case');
    assert.equal(shown('nothing', ''), 'nothing');
  });

  it('follows a bounded number of changes in one line, and takes a time that grows with the line alone', () => {
    const line = `${E}[31ma${E}[32mb`.repeat(20_000);
    assert.ok(terminalParts(line).length <= 102);
    assert.equal(
      terminalParts(line).reduce((sum, { text }) => sum + text.length, 0),
      40_000,
    );
    for (const nasty of [`${E}[`, `${E}]8;;`, `${E}[1;`, ';', `${E}[31m${E}`]) terminalParts(nasty.repeat(20_000));
  });

  it('reads a bounded number of codes in one change', () => {
    const codes = (count: number) => `${E}[${'38;5;1;'.repeat(count)}1mx`;
    assert.equal(shown(codes(2)), '<span class="t-bold t-1">x</span>');
    assert.equal(shown(codes(2_000)), '<span class="t-1">x</span>');
  });

  it('marks a bounded number of places in one line', () => {
    const markup = shown('a'.repeat(16_384), 'a');
    assert.equal(markup.split('<mark>').length - 1, 100);
    assert.equal(markup.replaceAll(/<\/?mark>/g, ''), 'a'.repeat(16_384));
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cutChangelog, MOST_BULLETS, readChangelog } from '../../../domain/status-page/changelog-text.ts';

const plain = (text: string) => ({ text, isCode: false });
const code = (text: string) => ({ text, isCode: true });

describe('the changelog of a service on a page', () => {
  it('has headings, bullets and inline code, and of everything else the words', () => {
    const notes =
      '## 1.2.0\n\nFaster **and** [safer](javascript:alert(1)).\n\n- `verify()` takes *lists*\n  - nested\n- [x] done\n';
    assert.deepEqual(readChangelog(notes), [
      { kind: 'heading', spans: [plain('1.2.0')] },
      { kind: 'text', spans: [plain('Faster and safer.')] },
      { kind: 'bullets', items: [[code('verify()'), plain(' takes lists')], [plain('nested')], [plain('done')]] },
    ]);
  });

  it('keeps raw HTML as text, brackets and all', () => {
    const [block] = readChangelog('<script>alert(1)</script>\n');
    assert.deepEqual(block, { kind: 'text', spans: [plain('<script>alert(1)</script>')] });
    const [list] = readChangelog('- a <img src=x onerror=alert(1)> b');
    assert.deepEqual(list, { kind: 'bullets', items: [[plain('a <img src=x onerror=alert(1)> b')]] });
  });

  it('shows no address of a link or a picture', () => {
    const text = JSON.stringify(readChangelog('![pic](https://evil.example/x.png) and [a](https://evil.example)'));
    assert.ok(!text.includes('evil.example'), text);
  });

  it(`is cut after ${MOST_BULLETS} bullets, and says so`, () => {
    const bullets = (count: number) => Array.from({ length: count }, (_, index) => `- ${index}`).join('\n');
    const whole = cutChangelog(readChangelog(`# a\n\n${bullets(MOST_BULLETS)}`));
    assert.equal(whole.isCut, false);
    const cut = cutChangelog(readChangelog(`# a\n\n${bullets(MOST_BULLETS)}\n\n# b\n\n- more`));
    assert.equal(cut.isCut, true);
    assert.deepEqual(
      cut.blocks.map(({ kind }) => kind),
      ['heading', 'bullets'],
    );
    const inside = cutChangelog(readChangelog(bullets(MOST_BULLETS + 1)));
    assert.deepEqual(
      [inside.isCut, inside.blocks[0]?.kind === 'bullets' && inside.blocks[0].items.length],
      [true, MOST_BULLETS],
    );
  });

  it('is bounded where there are no bullets', () => {
    const { blocks, isCut } = cutChangelog(readChangelog('word\n\n'.repeat(5_000)));
    assert.ok(blocks.length <= 40 && isCut);
  });

  it('resolves the links of a changelog that is kept, and shows no definition of one', () => {
    const notes =
      '## [1.2.0] - 2026-11-01\n\nAs [said] and [there][Said].\n\n[1.2.0]: https://e.example\n[said]: https://e.example\n';
    assert.deepEqual(readChangelog(notes), [
      { kind: 'heading', spans: [plain('1.2.0 - 2026-11-01')] },
      { kind: 'text', spans: [plain('As said and there.')] },
    ]);
  });

  it('reads underlined headings, numbered lists, quotes, rules, fenced code and what goes on in the next line', () => {
    const notes =
      'New\n===\n\n> quoted\nmore\n\n---\n\n1. one\n   goes on\n\n   and on\n2. two\n\nend\n```js\nlet a;\nlet b;\n```\n## Last ##\n';
    assert.deepEqual(readChangelog(notes), [
      { kind: 'heading', spans: [plain('New')] },
      { kind: 'text', spans: [plain('quoted more')] },
      { kind: 'bullets', items: [[plain('one goes on and on')], [plain('two')]] },
      { kind: 'text', spans: [plain('end')] },
      { kind: 'text', spans: [code('let a; let b;')] },
      { kind: 'heading', spans: [plain('Last')] },
    ]);
  });

  it('leaves alone what is no emphasis, no code and no link', () => {
    for (const text of ['2 * 3 * 4', 'snake_case_name', '`open', 'a[0] and f(x)', '[x', 'wow!', '*.ts']) {
      assert.deepEqual(readChangelog(text), [{ kind: 'text', spans: [plain(text)] }], text);
    }
    assert.deepEqual(readChangelog('\\*kept\\* and ``a ` b``'), [
      { kind: 'text', spans: [plain('*kept* and '), code('a ` b')] },
    ]);
  });

  // Twice as long as notes may be: what takes the square of it does not end within the limit of a test file.
  it('is read in time that grows with its length alone, whatever a stranger writes', () => {
    const parts = [
      '_a.',
      '>',
      '[',
      '![',
      '](',
      '[a](b',
      '[a][',
      '`',
      '`a``',
      '*a',
      '**a ',
      '~',
      '\\',
      '<',
      '- ',
      '  - ',
      '#',
      '# ',
      ' ',
      '\t',
      '\r',
      '\n- a',
      '1.',
      '((',
      '[a]: b\n',
      '```\n',
      '=\n',
      'a@',
    ];
    for (const part of parts) {
      const notes = `[a]: b\n\n${part.repeat(40_000 / part.length)}@`;
      assert.ok(readChangelog(notes).length <= notes.length, part);
    }
  });
});
